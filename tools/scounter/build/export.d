build/export.o: /tmp/wt/try/tools/scounter/export.c \
 /tmp/wt/try/tools/scounter/scounter.h \
 /tmp/wt/try/tools/scounter/snapshot.h \
 /tmp/wt/try/include/uapi/linux/scounter.h
/tmp/wt/try/tools/scounter/scounter.h:
/tmp/wt/try/tools/scounter/snapshot.h:
/tmp/wt/try/include/uapi/linux/scounter.h:
