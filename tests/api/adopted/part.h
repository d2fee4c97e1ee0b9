/* A part of the program that lies in another file: another translation unit, or a library. */
int part(int x);
