#include "CHTTPShim.h"

#include <microhttpd.h>

const char *chttp_library_version(void) {
    return MHD_get_version();
}
