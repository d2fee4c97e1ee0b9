/* In which order lanes come by that branches, switches and calls part. */
#include "lane_orders.h"

KERNEL(if_else_lt)
{
    if (v < n)
        SAY(1);
    else
        SAY(2);
}

KERNEL(if_else_ge)
{
    if (v >= n)
        SAY(1);
    else
        SAY(2);
}

KERNEL(if_else_join)
{
    if (v < n)
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

KERNEL(if_else_eq)
{
    if (v == n)
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

KERNEL(if_only)
{
    if (v < n)
        SAY(1);
    SAY(2);
}

KERNEL(nest2)
{
    if (v < n) {
        SAY(1);
        if (v & 1)
            SAY(2);
        else
            SAY(3);
        SAY(4);
    } else {
        SAY(5);
        if (v & 2)
            SAY(6);
        else
            SAY(7);
        SAY(8);
    }
    SAY(9);
}

KERNEL(nest2_tail)
{
    if (v < n) {
        if (v & 1)
            SAY(2);
        else
            SAY(3);
    } else {
        if (v & 2)
            SAY(6);
        else
            SAY(7);
    }
}

KERNEL(nest3)
{
    if (v & 1) {
        if (v & 2) {
            if (v & 4)
                SAY(7);
            else
                SAY(3);
            SAY(13);
        } else {
            if (v & 4)
                SAY(5);
            else
                SAY(1);
            SAY(15);
        }
        SAY(21);
    } else {
        if (v & 2) {
            if (v & 4)
                SAY(6);
            else
                SAY(2);
        } else {
            if (v & 4)
                SAY(4);
            else
                SAY(8);
        }
        SAY(22);
    }
    SAY(30);
}

KERNEL(nest_noelse)
{
    if (v < 2 * n) {
        SAY(1);
        if (v < n) {
            SAY(2);
            if (v & 1)
                SAY(3);
            SAY(4);
        }
        SAY(5);
    }
    SAY(6);
}

KERNEL(chain_join)
{
    if (v < n)
        SAY(1);
    else if (v < 2 * n)
        SAY(2);
    else if (v < 3 * n)
        SAY(3);
    else
        SAY(4);
    SAY(5);
}

KERNEL(switch8)
{
    switch (v & 7) {
    case 0:
        SAY(10);
        break;
    case 1:
        SAY(11);
        break;
    case 2:
        SAY(12);
        break;
    case 3:
        SAY(13);
        break;
    case 4:
        SAY(14);
        break;
    case 5:
        SAY(15);
        break;
    case 6:
        SAY(16);
        break;
    case 7:
        SAY(17);
        break;
    }
    SAY(1);
}

KERNEL(switch_through)
{
    switch (v & 3) {
    case 3:
        SAY(3);
    case 2:
        SAY(2);
    case 1:
        SAY(1);
    case 0:
        SAY(10);
    }
    SAY(20);
}

KERNEL(switch_return)
{
    switch (v & 3) {
    case 0:
        SAY(1);
        return;
    case 1:
        SAY(2);
        break;
    case 2:
        SAY(3);
        return;
    default:
        SAY(4);
    }
    SAY(5);
}

KERNEL(return_first)
{
    if (v >= n)
        return;
    SAY(1);
    if (v == 1)
        return;
    SAY(2);
}

KERNEL(return_nested)
{
    if (v < n) {
        SAY(1);
        if (v & 1) {
            SAY(2);
            return;
        }
        SAY(3);
    }
    SAY(4);
}

KERNEL(return_value)
{
    if (v < n) {
        if (v == 0) {
            SAY(1);
            return;
        }
        SAY(2);
    } else
        SAY(3);
}

KERNEL(cond_and)
{
    if (v < n && (v & 1))
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

KERNEL(cond_or)
{
    if (v < n || (v & 1))
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

KERNEL(cond_and_load)
{
    if (v < n && p[v & 31] > 3)
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

KERNEL(cond_or_load)
{
    if (v < n || p[v & 31] > 3)
        SAY(1);
    else
        SAY(2);
    SAY(3);
}

__device__ __noinline__ bool asks(int c, int v, int n)
{
    SAY(c);
    return v < n;
}

KERNEL(cond_calls_and)
{
    if (asks(1, v, n) && asks(2, v & 3, 2))
        SAY(3);
    else
        SAY(4);
    SAY(5);
}

KERNEL(cond_calls_or)
{
    if (asks(1, v, n) || asks(2, v & 3, 2))
        SAY(3);
    else
        SAY(4);
    SAY(5);
}

KERNEL(goto_out)
{
    if (v < n) {
        SAY(1);
        if (v & 1)
            goto out;
        SAY(2);
        if (v & 2)
            goto out;
        SAY(3);
    } else
        SAY(4);
    SAY(5);
out:
    SAY(6);
}

__device__ __noinline__ void say(int c)
{
    SAY(c);
}

KERNEL(call_sides)
{
    if (v < n)
        say(1);
    else
        say(2);
    say(3);
}

__device__ __noinline__ int parts(int v, int n)
{
    if (v < n) {
        SAY(1);
        return 1;
    }
    SAY(2);
    if (v & 1)
        return 2;
    SAY(3);
    return 3;
}

KERNEL(call_parts)
{
    int r = parts(v, n);
    SAY(10 + r);
}

__device__ __noinline__ void f0(int x)
{
    SAY(100 + x);
}

__device__ __noinline__ void f1(int x)
{
    SAY(110 + x);
}

__device__ __noinline__ void f2(int x)
{
    SAY(120 + x);
}

__device__ void (*const table[])(int) = {f0, f1, f2};

KERNEL(call_pointer)
{
    table[v % 3](n);
    SAY(1);
}

KERNEL(sync_warp)
{
    if (v < n)
        SAY(1);
    else
        SAY(2);
    __syncwarp();
    SAY(3);
}

KERNEL(sync_threads)
{
    if (v < n)
        SAY(1);
    else if (v < 2 * n)
        SAY(2);
    else
        SAY(4);
    __syncthreads();
    SAY(3);
    if (v == 3)
        SAY(5);
}

KERNEL(shuffle_join)
{
    int x;
    if (v < n) {
        SAY(1);
        x = v;
    } else {
        SAY(2);
        x = -v;
    }
    x = __shfl_xor_sync(~0u, x, 1);
    if (x < 0)
        SAY(3);
    else
        SAY(4);
    SAY(5);
}

KERNEL(active)
{
    if (v < n) {
        SAY(100 + __popc(__activemask()));
    } else {
        SAY(140 + __popc(__activemask()));
    }
    SAY(180 + __popc(__activemask()));
}

KERNEL(ternary_calls)
{
    int r = v < n ? asks(1, v, 3) : asks(2, v, 20);
    SAY(10 + r);
}

KERNEL(fences)
{
    if (v < n) {
        SAY(1);
        __threadfence();
        SAY(2);
    } else {
        SAY(3);
        __threadfence();
        SAY(4);
    }
    SAY(5);
}

KERNEL(float_nan)
{
    float x = v < n ? __int_as_float(0x7fc00000) : (float)v;
    if (x < 10.f)
        SAY(1);
    else
        SAY(2);
    if (!(x >= 10.f))
        SAY(3);
    else
        SAY(4);
    SAY(5);
}

KERNEL(three_way)
{
    int m = v % 3;
    if (m == 0)
        SAY(1);
    else if (m == 1)
        SAY(2);
    else
        SAY(3);
    SAY(4);
}

KERNEL(bool_vars)
{
    bool a = v < n, b = v & 1;
    if (a && !b)
        SAY(1);
    else if (b)
        SAY(2);
    else
        SAY(3);
    if (a != b)
        SAY(4);
    SAY(5);
}

KERNEL(exit_asm)
{
    if (v < n) {
        SAY(1);
        asm volatile("exit;");
    }
    SAY(2);
}

KERNEL(empty_then)
{
    if (v < n) {
    } else
        SAY(1);
    SAY(2);
}

int main(void)
{
    static const shape shapes[] = {
        SHAPE(if_else_lt),     SHAPE(if_else_ge),    SHAPE(if_else_join),  SHAPE(if_else_eq),
        SHAPE(if_only),        SHAPE(nest2),         SHAPE(nest2_tail),    SHAPE(nest3),
        SHAPE(nest_noelse),    SHAPE(chain_join),    SHAPE(switch8),       SHAPE(switch_through),
        SHAPE(switch_return),  SHAPE(return_first),  SHAPE(return_nested), SHAPE(return_value),
        SHAPE(cond_and),       SHAPE(cond_or),       SHAPE(cond_and_load), SHAPE(cond_or_load),
        SHAPE(cond_calls_and), SHAPE(cond_calls_or), SHAPE(goto_out),      SHAPE(call_sides),
        SHAPE(call_parts),     SHAPE(call_pointer),  SHAPE(sync_warp),     SHAPE(sync_threads),
        SHAPE(shuffle_join),   SHAPE(active),        SHAPE(ternary_calls), SHAPE(fences),
        SHAPE(float_nan),      SHAPE(three_way),     SHAPE(bool_vars),     SHAPE(exit_asm),
        SHAPE(empty_then)};
    return print_orders(shapes);
}
