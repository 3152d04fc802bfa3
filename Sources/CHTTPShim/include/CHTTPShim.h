#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H

/// The version of the HTTP library in use, as text.
const char *chttp_library_version(void);

#endif
