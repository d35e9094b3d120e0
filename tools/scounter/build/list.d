build/list.o: /tmp/wt/try/tools/scounter/list.c \
 /tmp/wt/try/tools/scounter/scounter.h \
 /tmp/wt/try/tools/scounter/snapshot.h \
 /tmp/wt/try/include/uapi/linux/scounter.h
/tmp/wt/try/tools/scounter/scounter.h:
/tmp/wt/try/tools/scounter/snapshot.h:
/tmp/wt/try/include/uapi/linux/scounter.h:
