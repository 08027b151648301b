#include "isochor/io/point_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/bits.h"
#include "byte_order.h"
#include "io/text.h"
#include "isochor/io/atomic_file.h"

namespace isochor {
namespace {

constexpr std::string_view kPc2Magic("POINTCACHE2\0", 12);
constexpr std::size_t kPc2Header = 32;
constexpr std::int32_t kPc2Version = 1;

class Bytes {
 public:
  explicit Bytes(std::endian order) : order_(order) {}

  template <class T>
  void add(T value) {
    auto raw = bits_as<std::array<std::uint8_t, sizeof(T)>>(value);
    if (order_ != std::endian::native) std::reverse(raw.begin(), raw.end());
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void add(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  const std::vector<std::uint8_t>& get() const { return bytes_; }

 private:
  std::endian order_;
  std::vector<std::uint8_t> bytes_;
};

bool all_finite(const PointCache& cache) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(cache.positions.begin(), cache.positions.end(), finite) &&
         std::all_of(cache.times.begin(), cache.times.end(), finite);
}

void check(const PointCache& cache) {
  const std::size_t samples = cache.times.size();
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (samples == 0 || cache.points == 0) throw_bad_input("a point cache needs at least one frame and one vertex");
  if (samples > kMost || cache.points > kMost)
    throw_unsupported("a point cache cannot hold so many vertices or frames");
  if (cache.positions.size() != samples * cache.points * 3) {
    throw_bad_input("the positions of a point cache do not fit its frames and vertices");
  }
  if (!all_finite(cache)) throw_bad_input("a point cache cannot hold positions or times that are not finite");
  const bool increasing =
      std::adjacent_find(cache.times.begin(), cache.times.end(), std::greater_equal<>()) == cache.times.end();
  if (!increasing) throw_bad_input("the times of a point cache do not increase");
}

Bytes to_pc2(const PointCache& cache) {
  Bytes bytes(std::endian::little);
  bytes.reserve(kPc2Header + 4 * cache.positions.size());
  bytes.add(kPc2Magic);
  bytes.add(kPc2Version);
  bytes.add(static_cast<std::int32_t>(cache.points));
  bytes.add(static_cast<float>(cache.start));
  bytes.add(static_cast<float>(cache.sample_rate));
  bytes.add(static_cast<std::int32_t>(cache.times.size()));
  for (const float x : cache.positions) bytes.add(x);
  return bytes;
}

Bytes to_mdd(const PointCache& cache) {
  Bytes bytes(std::endian::big);
  bytes.reserve(8 + 4 * (cache.times.size() + cache.positions.size()));
  bytes.add(static_cast<std::int32_t>(cache.times.size()));
  bytes.add(static_cast<std::int32_t>(cache.points));
  for (const double time : cache.times) bytes.add(static_cast<float>(time));
  for (const float x : cache.positions) bytes.add(x);
  return bytes;
}

/// Numbers one after another, where the header has said how many there are.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::endian order, std::string name)
      : bytes_(bytes), order_(order), name_(std::move(name)) {}

  template <class T>
  T next() {
    if (bytes_.size() - offset_ < sizeof(T)) refuse();
    offset_ += sizeof(T);
    return number_at<T>(bytes_, offset_ - sizeof(T), order_);
  }
  void skip(std::size_t n) { offset_ += n; }
  std::size_t next_count() {
    const auto n = next<std::int32_t>();
    if (n <= 0) refuse();
    return static_cast<std::size_t>(n);
  }
  /// `samples` × `points` × 3 floats up to the end of the file.
  std::vector<float> positions(std::size_t samples, std::size_t points) {
    const std::size_t left = (bytes_.size() - offset_) / 12;
    if (points > left || samples > left / points || samples * points != left) refuse();
    std::vector<float> out(samples * points * 3);
    for (float& x : out) x = next<float>();
    if (offset_ != bytes_.size()) refuse();
    return out;
  }
  [[noreturn]] void refuse() const {
    throw_bad_input("cannot read " + name_ + ": it is not a point cache, or its size does not fit its header");
  }

 private:
  std::string_view bytes_;
  std::endian order_;
  std::string name_;
  std::size_t offset_ = 0;
};

PointCache from_pc2(std::string_view bytes, const std::string& name) {
  Cursor cursor(bytes, std::endian::little, name);
  if (bytes.substr(0, kPc2Magic.size()) != kPc2Magic) cursor.refuse();
  cursor.skip(kPc2Magic.size());
  PointCache cache;
  if (cursor.next<std::int32_t>() != kPc2Version) cursor.refuse();
  cache.points = cursor.next_count();
  cache.start = static_cast<double>(cursor.next<float>());
  cache.sample_rate = static_cast<double>(cursor.next<float>());
  const std::size_t samples = cursor.next_count();
  cache.positions = cursor.positions(samples, cache.points);
  for (std::size_t k = 0; k < samples; ++k) {
    cache.times.push_back(cache.start + static_cast<double>(k) * cache.sample_rate);
  }
  return cache;
}

PointCache from_mdd(std::string_view bytes, const std::string& name) {
  Cursor cursor(bytes, std::endian::big, name);
  PointCache cache;
  const std::size_t samples = cursor.next_count();
  cache.points = cursor.next_count();
  for (std::size_t k = 0; k < samples; ++k) cache.times.push_back(static_cast<double>(cursor.next<float>()));
  cache.positions = cursor.positions(samples, cache.points);
  return cache;
}

}  // namespace

std::optional<PointCacheFormat> point_cache_format(const std::filesystem::path& path) {
  const std::string extension = text::extension_of(path);
  if (extension == "pc2") return PointCacheFormat::pc2;
  if (extension == "mdd") return PointCacheFormat::mdd;
  return std::nullopt;
}

void write_point_cache(const std::filesystem::path& path, const PointCache& cache, PointCacheFormat format) {
  check(cache);
  write_file_atomically(path, (format == PointCacheFormat::pc2 ? to_pc2(cache) : to_mdd(cache)).get());
}

PointCache read_point_cache(const std::filesystem::path& path, PointCacheFormat format) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string name = "'" + path.string() + "'";
  PointCache cache = format == PointCacheFormat::pc2 ? from_pc2(view, name) : from_mdd(view, name);
  if (!all_finite(cache)) throw_bad_input("cannot read " + name + ": it has numbers that are not finite");
  return cache;
}

}  // namespace isochor
