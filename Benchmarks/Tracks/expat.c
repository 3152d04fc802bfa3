/* Parses an XML file with expat and does nothing: what reading GPX is measured against. */
#include <expat.h>
#include <stdio.h>

static void start(void *count, const char *name, const char **attributes) {
    (void)name;
    (void)attributes;
    ++*(long *)count;
}

static void end(void *count, const char *name) {
    (void)count;
    (void)name;
}

static void text(void *count, const char *bytes, int length) {
    (void)count;
    (void)bytes;
    (void)length;
}

int main(int argc, char **argv) {
    static char buffer[1 << 16];
    long count = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: expat FILE\n");
        return 2;
    }
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetUserData(parser, &count);
    XML_SetElementHandler(parser, start, end);
    XML_SetCharacterDataHandler(parser, text);
    enum XML_Status status = XML_STATUS_OK;
    size_t length = 1;
    while (status == XML_STATUS_OK && length > 0) {
        length = fread(buffer, 1, sizeof buffer, file);
        status = XML_Parse(parser, buffer, (int)length, length == 0);
    }
    XML_ParserFree(parser);
    fclose(file);
    printf("%ld elements\n", count);
    return status == XML_STATUS_OK ? 0 : 1;
}
