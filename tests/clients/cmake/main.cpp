#include <cstdio>

int sum(int n);
int twice_on_device(int value);

int main()
{
    int squares = sum(100), two = twice_on_device(21);
    std::printf("%d %d\n", squares, two);
    return squares == 328350 && two == 42 ? 0 : 1;
}
