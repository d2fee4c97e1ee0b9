// What the device says of textures and surfaces.
#include "textures.h"

#define LIMIT(name) {#name, cudaDevAttr##name}
static const struct {
    const char *name;
    cudaDeviceAttr attribute;
} limits[] = {
    LIMIT(MaxTexture1DWidth),          LIMIT(MaxTexture2DWidth),
    LIMIT(MaxTexture2DHeight),         LIMIT(MaxTexture3DWidth),
    LIMIT(MaxTexture3DHeight),         LIMIT(MaxTexture3DDepth),
    LIMIT(MaxTexture2DLayeredWidth),   LIMIT(MaxTexture2DLayeredHeight),
    LIMIT(MaxTexture2DLayeredLayers),  LIMIT(SurfaceAlignment),
    LIMIT(MaxTexture1DLayeredWidth),   LIMIT(MaxTexture1DLayeredLayers),
    LIMIT(MaxTexture2DGatherWidth),    LIMIT(MaxTexture2DGatherHeight),
    LIMIT(MaxTexture3DWidthAlt),       LIMIT(MaxTexture3DHeightAlt),
    LIMIT(MaxTexture3DDepthAlt),       LIMIT(TexturePitchAlignment),
    LIMIT(MaxTextureCubemapWidth),     LIMIT(MaxTextureCubemapLayeredWidth),
    LIMIT(MaxTextureCubemapLayeredLayers), LIMIT(MaxSurface1DWidth),
    LIMIT(MaxSurface2DWidth),          LIMIT(MaxSurface2DHeight),
    LIMIT(MaxSurface3DWidth),          LIMIT(MaxSurface3DHeight),
    LIMIT(MaxSurface3DDepth),          LIMIT(MaxSurface1DLayeredWidth),
    LIMIT(MaxSurface1DLayeredLayers),  LIMIT(MaxSurface2DLayeredWidth),
    LIMIT(MaxSurface2DLayeredHeight),  LIMIT(MaxSurface2DLayeredLayers),
    LIMIT(MaxSurfaceCubemapWidth),     LIMIT(MaxSurfaceCubemapLayeredWidth),
    LIMIT(MaxSurfaceCubemapLayeredLayers), LIMIT(MaxTexture1DLinearWidth),
    LIMIT(MaxTexture2DLinearWidth),    LIMIT(MaxTexture2DLinearHeight),
    LIMIT(MaxTexture2DLinearPitch),    LIMIT(MaxTexture2DMipmappedWidth),
    LIMIT(MaxTexture2DMipmappedHeight), LIMIT(MaxTexture1DMipmappedWidth),
    LIMIT(TextureAlignment)};

void add_limit_cases()
{
    for (auto l : limits)
        add(std::string("limit ") + l.name, [=] {
            int value = 0;
            OK(cudaDeviceGetAttribute(&value, l.attribute, 0));
            return Words{(uint32_t)value};
        });
    add("limit linear width of float4", [] {
        size_t width = 0;
        const cudaChannelFormatDesc d = with(F32, 4).desc();
        OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &d, 0));
        return Words{(uint32_t)width};
    });
}
