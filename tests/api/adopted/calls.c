/* A C program that is linked with a library. */
#include <stdio.h>

int part_of_library(int x);

int main(void)
{
    printf("%d\n", part_of_library(41));
}
