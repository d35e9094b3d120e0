build/snapshot.o: /tmp/wt/try/tools/scounter/snapshot.c \
 /tmp/wt/try/tools/scounter/scounter.h \
 /tmp/wt/try/tools/scounter/snapshot.h \
 /tmp/wt/try/include/uapi/linux/scounter.h
/tmp/wt/try/tools/scounter/scounter.h:
/tmp/wt/try/tools/scounter/snapshot.h:
/tmp/wt/try/include/uapi/linux/scounter.h:
