// Bytes and bits: SHA-256, MD5, CRC-32, a brute-force search, string matching, a hash table, bloom.
#include <cstdio>
#include <cstring>
#include <vector>

__constant__ unsigned k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned ror(unsigned x, int n)
{
    return x >> n | x << (32 - n);
}

__device__ void sha256(const unsigned char *text, int length, unsigned h[8])
{
    unsigned w[64];
    unsigned char block[64] = {0};
    for (int i = 0; i < length; i++)
        block[i] = text[i];
    block[length] = 0x80;
    block[62] = length * 8 >> 8, block[63] = length * 8;
    for (int i = 0; i < 16; i++)
        w[i] =
            block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        unsigned a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[i - 7] +
               (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
    }
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned v[8];
    for (int i = 0; i < 8; i++)
        v[i] = start[i];
    for (int i = 0; i < 64; i++) {
        unsigned t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + k256[i] + w[i];
        unsigned t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] = start[i] + v[i];
}

__global__ void digest(const unsigned char *texts, const int *lengths, unsigned *out)
{
    int i = threadIdx.x;
    sha256(texts + 56 * i, lengths[i], out + 8 * i);
}

__global__ void search(unsigned first, unsigned *found)
{
    unsigned char text[4];
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 4; i++)
        text[i] = 'a' + n % 26, n /= 26;
    unsigned h[8];
    sha256(text, 4, h);
    if (h[0] == first)
        atomicExch(found, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void crc(const unsigned char *data, int each, unsigned *out)
{
    __shared__ unsigned table[256];
    unsigned c = threadIdx.x;
    for (int k = 0; k < 8; k++)
        c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[threadIdx.x] = c;
    __syncthreads();
    c = ~0u;
    const unsigned char *mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = 0; i < each; i++)
        c = table[(c ^ mine[i]) & 255] ^ c >> 8;
    out[blockIdx.x * blockDim.x + threadIdx.x] = ~c;
}

__global__ void match(const char *text, int n, const char *word, int m, int *count, int *first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, hit = i + m <= n;
    for (int k = 0; hit && k < m; k++)
        hit = text[i + k] == word[k];
    unsigned all = __ballot_sync(~0u, hit);
    if (threadIdx.x % 32 == 0 && all)
        atomicAdd(count, __popc(all));
    if (hit)
        atomicMin(first, i);
}

__global__ void insert(unsigned long long *table, unsigned mask, const unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned slot = keys[i] * 2654435761u & mask;
    unsigned long long entry = (unsigned long long)keys[i] << 32 | i;
    for (;;) {
        unsigned long long was = atomicCAS(&table[slot], ~0ull, entry);
        if (was == ~0ull)
            return;
        if (was >> 32 == keys[i]) {
            atomicMin(&table[slot], entry);
            return;
        }
        slot = slot + 1 & mask;
    }
}

__global__ void lookup(const unsigned long long *table, unsigned mask, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (unsigned slot = i * 2654435761u & mask;; slot = slot + 1 & mask) {
        unsigned long long entry = table[slot];
        if (entry == ~0ull || entry >> 32 == i) {
            found[i] = entry == ~0ull ? -1 : (int)entry;
            return;
        }
    }
}

int main()
{
    unsigned char *texts;
    int *lengths, *ints;
    unsigned *out;
    cudaMallocManaged(&texts, 56 * 4);
    cudaMallocManaged(&lengths, 4 * sizeof(int));
    cudaMallocManaged(&out, 4096);
    const char *words[] = {"", "abc", "message digest",
                           "The quick brown fox jumps over the lazy dog"};
    for (int i = 0; i < 4; i++) {
        lengths[i] = strlen(words[i]);
        memcpy(texts + 56 * i, words[i], lengths[i]);
    }
    digest<<<1, 4>>>(texts, lengths, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; i++, printf("  \"%s\"\n", words[i - 1]))
        for (int k = 0; k < 8; k++)
            printf("%08x", out[8 * i + k]);
    unsigned *found;
    cudaMallocManaged(&found, sizeof *found);
    *found = 0;
    search<<<26 * 26 * 26 * 26 / 208 / 8, 208>>>(0x88d4266f, found); // the first word of "abcd"'s
    cudaDeviceSynchronize();
    printf("found %u\n", *found);

    unsigned char *data;
    cudaMallocManaged(&data, 512 * 33);
    for (int i = 0; i < 512 * 33; i++)
        data[i] = i * 31 >> 2;
    memcpy(data, "123456789", 9);
    crc<<<2, 256>>>(data, 33, out);
    cudaDeviceSynchronize();
    printf("crc %08x %08x\n", out[0], out[511]);

    std::vector<char> text;
    for (int i = 0; i < 20000; i++)
        text.push_back("abacabadabacabae"[(unsigned)i * i * i * 40503u >> 12 & 15]);
    char *t;
    cudaMallocManaged(&t, text.size() + 8);
    memcpy(t, text.data(), text.size());
    memcpy(t + text.size(), "abac", 5);
    cudaMallocManaged(&ints, 20000 * sizeof(int));
    ints[0] = 0, ints[1] = 1 << 30;
    match<<<79, 256>>>(t, text.size(), t + text.size(), 4, ints, ints + 1);
    cudaDeviceSynchronize();
    printf("matches %d, first at %d\n", ints[0], ints[1]);

    unsigned long long *table;
    unsigned *keys;
    cudaMallocManaged(&table, 4096 * sizeof *table);
    cudaMallocManaged(&keys, 3000 * sizeof *keys);
    memset(table, 255, 4096 * sizeof *table);
    for (int i = 0; i < 3000; i++)
        keys[i] = i * 7 % 2500;
    insert<<<12, 256>>>(table, 4095, keys, 3000);
    lookup<<<12, 256>>>(table, 4095, ints, 3000);
    cudaDeviceSynchronize();
    unsigned h = 0;
    int missing = 0;
    for (int i = 0; i < 3000; i++)
        h = h * 31 + ints[i], missing += ints[i] < 0;
    printf("table %08x, %d missing\n", h, missing);
    return 0;
}
