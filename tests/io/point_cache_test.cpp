#include "isochor/io/point_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "support/data.h"

namespace isochor {
namespace {

/// Two points, three samples.
PointCache small_cache() {
  PointCache cache{2, {0.5, 1.0, 2.0}, {}};
  for (int i = 0; i < 18; ++i) cache.positions.push_back(0.25f * static_cast<float>(i) - 1);
  return cache;
}

using Bytes = std::vector<std::uint8_t>;

Bytes first(const Bytes& bytes, std::size_t n) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)};
}

// The bytes of a PC2 are those of the format's description: a name, version 1, points, start, rate, samples; little
// endian.
TEST(PointCache, Pc2Bytes) {
  const test::TempFolder here;
  PointCache cache = small_cache();
  cache.start = 1;
  write_point_cache(here / "a.pc2", cache, PointCacheFormat::pc2);
  const Bytes bytes = read_file(here / "a.pc2");
  ASSERT_EQ(bytes.size(), 32u + 18 * 4);
  EXPECT_EQ(first(bytes, 36),
            (Bytes{'P', 'O', 'I', 'N', 'T',  'C',  'A', 'C', 'H',  'E',  '2', 0, 1, 0, 0, 0, 2,    0,
                   0,   0,   0,   0,   0x80, 0x3f, 0,   0,   0x80, 0x3f, 3,   0, 0, 0, 0, 0, 0x80, 0xbf}));
}

// The bytes of an MDD are those of the format's description: frames, points, seconds, positions; big endian.
TEST(PointCache, MddBytes) {
  const test::TempFolder here;
  write_point_cache(here / "a.mdd", small_cache(), PointCacheFormat::mdd);
  const Bytes bytes = read_file(here / "a.mdd");
  ASSERT_EQ(bytes.size(), 8u + 12 + 18 * 4);
  EXPECT_EQ(first(bytes, 24),
            (Bytes{0, 0, 0, 3, 0, 0, 0, 2, 0x3f, 0, 0, 0, 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0xbf, 0x80, 0, 0}));
}

// What is written is read back; PC2 counts in frames.
TEST(PointCache, RoundTrip) {
  const test::TempFolder here;
  PointCache cache = small_cache();
  cache.start = 5;
  cache.sample_rate = 0.5;
  for (const PointCacheFormat format : {PointCacheFormat::pc2, PointCacheFormat::mdd}) {
    write_point_cache(here / "a", cache, format);
    const PointCache read = read_point_cache(here / "a", format);
    EXPECT_EQ(read.points, cache.points);
    EXPECT_EQ(read.positions, cache.positions);
    EXPECT_EQ(read.times, format == PointCacheFormat::mdd ? cache.times : (std::vector<double>{5, 5.5, 6}));
  }
}

// A file says what it is by its extension, in small or capital letters.
TEST(PointCache, FormatByExtension) {
  EXPECT_EQ(point_cache_format("a.pc2"), PointCacheFormat::pc2);
  EXPECT_EQ(point_cache_format("folder.mdd/A.MDD"), PointCacheFormat::mdd);
  for (const char* other : {"a.glb", "a", "pc2", "a.pc2.glb", ""}) EXPECT_FALSE(point_cache_format(other)) << other;
}

// Numbers that are not finite, as other tools write them, are refused with a sentence.
TEST(PointCache, RefusesNumbersThatAreNotFinite) {
  const test::TempFolder here;
  for (const PointCacheFormat format : {PointCacheFormat::pc2, PointCacheFormat::mdd}) {
    write_point_cache(here / "a", small_cache(), format);
    Bytes bytes = read_file(here / "a");
    for (std::size_t i = bytes.size() - 4; i < bytes.size(); ++i) bytes[i] = 0xff;  // a NaN in either order
    write_file_atomically(here / "a", bytes);
    EXPECT_THROW(read_point_cache(here / "a", format), Error);
  }
}

// Caches that do not fit together are refused, and nothing is written.
TEST(PointCache, RefusesToWrite) {
  const test::TempFolder here;
  const auto refused = [&](auto&& spoil) {
    PointCache cache = small_cache();
    spoil(cache);
    for (const PointCacheFormat format : {PointCacheFormat::pc2, PointCacheFormat::mdd}) {
      EXPECT_THROW(write_point_cache(here / "a", cache, format), Error);
    }
    return !std::filesystem::exists(here / "a");
  };
  EXPECT_TRUE(refused([](PointCache& c) { c.positions.pop_back(); }));
  EXPECT_TRUE(refused([](PointCache& c) { c.points = 3; }));
  EXPECT_TRUE(refused([](PointCache& c) { c = {}; }));
  EXPECT_TRUE(refused([](PointCache& c) { c.times[1] = c.times[0]; }));
  EXPECT_TRUE(refused([](PointCache& c) { c.positions[3] = std::numeric_limits<float>::infinity(); }));
}

// Files cut short at any byte, too long, or with counts that do not fit, are refused with a sentence.
TEST(PointCache, RefusesBrokenFiles) {
  const test::TempFolder here;
  for (const PointCacheFormat format : {PointCacheFormat::pc2, PointCacheFormat::mdd}) {
    write_point_cache(here / "good", small_cache(), format);
    const Bytes good = read_file(here / "good");
    const auto refused = [&](const Bytes& bytes) {
      write_file_atomically(here / "bad", bytes);
      try {
        read_point_cache(here / "bad", format);
      } catch (const Error&) {
        return true;
      }
      return false;
    };
    for (std::size_t n = 0; n < good.size(); ++n) EXPECT_TRUE(refused(first(good, n))) << n;
    Bytes bad = good;
    bad.push_back(0);
    EXPECT_TRUE(refused(bad));
    const std::size_t counts = format == PointCacheFormat::pc2 ? 16 : 0;
    for (const std::uint8_t value : {0x7f, 0xff}) {
      bad = good;
      bad[counts + (format == PointCacheFormat::pc2 ? 3 : 0)] = value;
      EXPECT_TRUE(refused(bad));
    }
  }
}

}  // namespace
}  // namespace isochor
