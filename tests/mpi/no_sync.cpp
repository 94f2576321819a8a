// Linked into the programs under test: nothing waits for the disk, which other tests are about.
#include <unistd.h>

extern "C" int fsync(int) { return 0; }
