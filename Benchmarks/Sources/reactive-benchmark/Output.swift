import Glibc

/// Writes a line to standard output.
func show(_ line: String) {
    for byte in line.utf8 { putchar(Int32(byte)) }
    putchar(10)
}
