/* In which order lanes come by that go round loops by different numbers of turns. */
#include "lane_orders.h"

KERNEL(loop_v1)
{
    ROLLED for (int i = 0; i < (v & 7); i++) SAY(10 + i);
    SAY(1);
}

KERNEL(while_if)
{
    while (v > 0) {
        v -= n;
        if (v < 2)
            SAY(1);
        else
            SAY(2);
    }
    SAY(3);
}

KERNEL(while_if_join)
{
    while (v > 0) {
        v -= n;
        if (v < 2)
            SAY(1);
        else
            SAY(2);
        SAY(4);
    }
    SAY(3);
}

KERNEL(do_while)
{
    do {
        SAY(1);
        v -= n;
    } while (v > 0);
    SAY(2);
}

KERNEL(loop_break_say)
{
    for (int i = 0; i < 6; i++) {
        if ((v & 7) == i) {
            SAY(40 + i);
            break;
        }
        SAY(20 + i);
    }
    SAY(1);
}

KERNEL(loop_break1)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        if ((v & 7) == i) {
            SAY(40 + i);
            break;
        }
        SAY(20 + i);
    }
    SAY(1);
}

KERNEL(loop_continue)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        if ((v + i) & 1) {
            SAY(40 + i);
            continue;
        }
        SAY(20 + i);
    }
    SAY(1);
}

KERNEL(loop_continue2)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        if ((v + i) % 3 == 0)
            continue;
        SAY(20 + i);
        if ((v + i) % 3 == 1)
            continue;
        SAY(40 + i);
    }
    SAY(1);
}

KERNEL(loop_nested1)
{
    ROLLED for (int i = 0; i < (v & 3); i++)
    {
        SAY(50 + i);
        ROLLED for (int j = 0; j < ((v >> 2) & 3); j++) SAY(10 * i + j);
    }
    SAY(1);
}

KERNEL(goto_nested)
{
    ROLLED for (int i = 0; i < 4; i++)
    {
        ROLLED for (int j = 0; j < 4; j++)
        {
            if (i * 4 + j == (v & 15))
                goto out;
            if (j == n)
                SAY(20 + i);
        }
    }
    SAY(1);
out:
    SAY(2);
}

__device__ __noinline__ int deep(int v)
{
    if (v <= 0) {
        SAY(90);
        return 0;
    }
    SAY(v);
    int r = deep(v - 1) + 1;
    SAY(40 + v);
    return r;
}

KERNEL(recursion)
{
    int r = deep(v & 3);
    SAY(60 + r);
}

KERNEL(loop_sides)
{
    if (v < n) {
        ROLLED for (int i = 0; i < (v & 3); i++) SAY(10 + i);
    } else {
        ROLLED for (int i = 0; i < (v & 3) + 1; i++) SAY(20 + i);
    }
    SAY(1);
}

KERNEL(loop_one_side)
{
    if (v < n) {
        ROLLED for (int i = 0; i < (v & 3); i++) SAY(10 + i);
    } else
        SAY(2);
    SAY(1);
}

KERNEL(loop_switch)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        switch ((v + i) & 3) {
        case 0:
            SAY(10);
            break;
        case 1:
            SAY(11);
            continue;
        case 2:
            SAY(12);
            break;
        default:
            SAY(13);
        }
        SAY(20 + i);
    }
    SAY(1);
}

KERNEL(loop_if_join)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        SAY(10 + i);
        if ((v >> i) & 1)
            SAY(20 + i);
        else
            SAY(30 + i);
        SAY(40 + i);
    }
    SAY(1);
}

KERNEL(loop_var_if)
{
    ROLLED for (int i = 0; i < (v & 7); i++)
    {
        SAY(10 + i);
        if ((v >> i) & 1)
            SAY(20 + i);
        else
            SAY(30 + i);
        SAY(40 + i);
    }
    SAY(1);
}

KERNEL(collatz)
{
    int k = 0;
    v = (v & 7) + 1;
    ROLLED while (v != 1)
    {
        if (v & 1) {
            v = 3 * v + 1;
            SAY(1);
        } else {
            v /= 2;
            SAY(2);
        }
        k++;
    }
    SAY(100 + k);
}

KERNEL(gcd)
{
    int a = v + 1, b = n + 7;
    ROLLED while (a != b)
    {
        if (a > b) {
            a -= b;
            SAY(1);
        } else {
            b -= a;
            SAY(2);
        }
    }
    SAY(10 + a);
}

KERNEL(bisect)
{
    int lo = 0, hi = 16;
    ROLLED while (lo < hi)
    {
        int m = (lo + hi) / 2;
        if (m < (v & 15)) {
            lo = m + 1;
            SAY(1);
        } else {
            hi = m;
            SAY(2);
        }
    }
    SAY(20 + lo);
}

KERNEL(two_exits)
{
    int i = 0;
    ROLLED while (true)
    {
        if (i >= (v & 7))
            break;
        SAY(10 + i);
        if (i * n > v) {
            SAY(3);
            break;
        }
        i++;
    }
    SAY(1);
}

KERNEL(dowhile_mixed)
{
    int i = 0;
    do {
        if ((v + i) % 3 == 0)
            continue;
        SAY(10 + i);
        if ((v + i) % 5 == 0)
            break;
        SAY(20 + i);
    } while (++i < n);
    SAY(1);
}

KERNEL(sync_in_loop)
{
    ROLLED for (int i = 0; i < n; i++)
    {
        if ((v + i) & 1)
            SAY(10 + i);
        else
            SAY(20 + i);
        __syncthreads();
    }
    SAY(1);
}

KERNEL(any_loop)
{
    int i = 0;
    ROLLED while (__any_sync(~0u, i < (v & 7)))
    {
        if (i < (v & 7))
            SAY(10 + i);
        i++;
    }
    SAY(1);
}

KERNEL(long_body)
{
    float x = v;
    if (v < n) {
        for (int i = 0; i < 12; i++)
            x = x * x + 0.5f;
        SAY(1 + (x > 3.f));
    } else {
        SAY(7);
        x = sqrtf(x) / 3.f;
        SAY(8 + (x > 1.f));
    }
    SAY(3);
}

int main(void)
{
    static const shape shapes[] = {
        SHAPE(loop_v1),        SHAPE(while_if),     SHAPE(while_if_join), SHAPE(do_while),
        SHAPE(loop_break_say), SHAPE(loop_break1),  SHAPE(loop_continue), SHAPE(loop_continue2),
        SHAPE(loop_nested1),   SHAPE(goto_nested),  SHAPE(recursion),     SHAPE(loop_sides),
        SHAPE(loop_one_side),  SHAPE(loop_switch),  SHAPE(loop_if_join),  SHAPE(loop_var_if),
        SHAPE(collatz),        SHAPE(gcd),          SHAPE(bisect),        SHAPE(two_exits),
        SHAPE(dowhile_mixed),  SHAPE(sync_in_loop), SHAPE(any_loop),      SHAPE(long_body)};
    return print_orders(shapes);
}
