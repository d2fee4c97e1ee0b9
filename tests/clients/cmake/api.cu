int sum_on_device(int n);

int sum(int n)
{
    return sum_on_device(n);
}
