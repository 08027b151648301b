#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "io/assimp_guard.h"
#include "io/byte_order.h"
#include "isochor/base/error.h"

namespace isochor {

namespace {

/// assimp parses records by recursion. Real files nest about ten deep.
constexpr std::size_t kMaxRecordDepth = 64;

/// Objects by their ids: the first hangs from the second.
using Connections = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// assimp follows connections by recursion: an object that hangs from itself has no end.
void check_acyclic(const Connections& connections) {
  std::vector<std::int64_t> ids;
  for (const auto& [child, parent] : connections) ids.insert(ids.end(), {child, parent});
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const auto place = [&](std::int64_t id) {
    return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
  std::vector<std::vector<std::size_t>> parents(ids.size());
  std::vector<std::size_t> open_children(ids.size());
  for (const auto& [child, parent] : connections) {
    parents[place(child)].push_back(place(parent));
    ++open_children[place(parent)];
  }
  // Take away what has no children left; whatever remains lies on a cycle or above one.
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (open_children[i] == 0) ready.push_back(i);
  }
  std::size_t taken = 0;
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    ++taken;
    for (const std::size_t parent : parents[i]) {
      if (--open_children[parent] == 0) ready.push_back(parent);
    }
  }
  if (taken != ids.size()) throw_bad_input("an object of the FBX is connected to itself in a circle");
}

/// A binary FBX: records that hold properties and records, each saying where it ends.
class BinaryFbx {
 public:
  explicit BinaryFbx(std::string_view bytes) : bytes_(bytes) {}

  void check() {
    constexpr std::size_t kHead = 27;
    if (bytes_.size() < kHead) throw_bad_input("the FBX is shorter than its header");
    wide_ = number_at<std::uint32_t>(bytes_, 23) >= 7500;
    records(kHead, bytes_.size(), 0);
    check_acyclic(connections_);
    check_clusters();
  }

 private:
  struct Record {
    std::string_view name;
    std::uint64_t begin = 0;  ///< of its properties
    std::uint64_t length = 0;
    std::size_t depth = 0;
  };

  std::size_t head_size() const { return wide_ ? 25 : 13; }

  std::uint64_t head_number(std::size_t offset, std::size_t index) const {
    return wide_ ? number_at<std::uint64_t>(bytes_, offset + 8 * index)
                 : number_at<std::uint32_t>(bytes_, offset + 4 * index);
  }

  /// The records from `offset` up to the empty one that closes the list, or up to `end` inside a record.
  void records(std::uint64_t offset, std::uint64_t end, std::size_t depth) {
    if (depth > kMaxRecordDepth) throw_bad_input("the records of the FBX are nested too deep");
    while (true) {
      if (depth > 0 && offset == end) return;
      if (end - offset < head_size()) throw_bad_input("the FBX ends before its last record");
      const std::uint64_t record_end = head_number(offset, 0);
      if (record_end == 0) return;
      const std::uint64_t name_length = static_cast<unsigned char>(bytes_[offset + head_size() - 1]);
      Record record;
      record.depth = depth;
      record.begin = offset + head_size() + name_length;
      record.length = head_number(offset, 2);
      if (record_end > end || record.begin > record_end || record.length > record_end - record.begin) {
        throw_bad_input("a record of the FBX reaches beyond what holds it");
      }
      record.name = bytes_.substr(record.begin - name_length, name_length);
      properties(record, head_number(offset, 1));
      remember(record);
      const std::uint64_t inner = record.begin + record.length;
      if (inner < record_end) records(inner, record_end, depth + 1);
      offset = record_end;
    }
  }

  void properties(const Record& record, std::uint64_t count) const {
    const std::uint64_t end = record.begin + record.length;
    std::uint64_t offset = record.begin;
    for (std::uint64_t p = 0; p < count; ++p) {
      if (offset >= end) throw_bad_input("a record of the FBX has fewer properties than it says");
      const std::uint64_t size = property_size(offset, end);
      if (size > end - offset) throw_bad_input("a property of the FBX reaches beyond its record");
      offset += size;
    }
    if (offset != end) throw_bad_input("a record of the FBX has more properties than it says");
  }

  /// The type's letter and what follows it.
  std::uint64_t property_size(std::uint64_t offset, std::uint64_t end) const {
    const char type = bytes_[offset];
    switch (type) {
      case 'C':
        return 1 + 1;
      case 'Y':
        return 1 + 2;
      case 'I':
      case 'F':
        return 1 + 4;
      case 'D':
      case 'L':
        return 1 + 8;
      case 'S':
      case 'R':
        if (end - offset < 5) throw_bad_input("a property of the FBX reaches beyond its record");
        return 1 + 4 + std::uint64_t{number_at<std::uint32_t>(bytes_, offset + 1)};
      case 'f':
      case 'd':
      case 'l':
      case 'i':
      case 'b':
      case 'c':
        return array_size(offset, end, type);
      default:
        throw_bad_input("a property of the FBX is of an unknown type");
    }
  }

  /// Length, encoding, bytes. deflate makes at most about a thousand bytes out of one.
  std::uint64_t array_size(std::uint64_t offset, std::uint64_t end, char type) const {
    if (end - offset < kArrayHead) throw_bad_input("a property of the FBX reaches beyond its record");
    const std::uint64_t element = type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
    const std::uint64_t length = number_at<std::uint32_t>(bytes_, offset + 1);
    const std::uint32_t encoding = number_at<std::uint32_t>(bytes_, offset + 5);
    const std::uint64_t stored = number_at<std::uint32_t>(bytes_, offset + 9);
    constexpr std::uint64_t kBestRatio = 1100;
    if (encoding > 1 || (encoding == 0 && stored != length * element) ||
        (encoding == 1 && length * element > kBestRatio * stored + kBestRatio)) {
      throw_bad_input("an array of the FBX contradicts itself");
    }
    return kArrayHead + stored;
  }

  /// What check_acyclic() and check_clusters() need. Objects and connections are records of depth 1.
  void remember(const Record& record) {
    const bool array = record.length >= kArrayHead;
    if (record.depth == 1) {
      object_ =
          record.length >= 9 && bytes_[record.begin] == 'L' ? number_at<std::int64_t>(bytes_, record.begin + 1) : 0;
      if (record.name == "C") connection(record);
    } else if (record.depth == 2 && record.name == "Vertices" && array) {
      vertices_[object_] = number_at<std::uint32_t>(bytes_, record.begin + 1) / 3;
    } else if (record.depth == 2 && record.name == "Indexes" && array && bytes_[record.begin] == 'i') {
      cluster_end_[object_] = index_end(record);
    }
  }

  /// C: "OO", child, parent.
  void connection(const Record& record) {
    constexpr std::uint64_t kSize = 5 + 2 + 9 + 9;
    const std::uint64_t at = record.begin;
    if (record.length != kSize || bytes_.substr(at + 5, 2) != "OO" || bytes_[at + 7] != 'L' || bytes_[at + 16] != 'L')
      return;
    connections_.emplace_back(number_at<std::int64_t>(bytes_, at + 8), number_at<std::int64_t>(bytes_, at + 17));
  }

  /// One more than the largest index of an array that is stored as it is. Compressed ones have a checksum, which assimp
  /// looks at: there it takes malice, not accident, to get a wrong index in.
  std::uint64_t index_end(const Record& record) const {
    if (number_at<std::uint32_t>(bytes_, record.begin + 5) != 0) return 0;
    const std::uint64_t length = number_at<std::uint32_t>(bytes_, record.begin + 1);
    std::uint64_t result = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
      // A negative index is beyond any number of vertices, too.
      const auto index = number_at<std::uint32_t>(bytes_, record.begin + kArrayHead + 4 * i);
      result = std::max<std::uint64_t>(result, std::uint64_t{index} + 1);
    }
    return result;
  }

  /// Clusters hang from skins, skins from geometries: assimp does not check that the vertices a cluster names exist.
  void check_clusters() const {
    std::map<std::int64_t, std::vector<std::int64_t>> parents;
    for (const auto& [child, parent] : connections_) parents[child].push_back(parent);
    for (const auto& [cluster, end] : cluster_end_) {
      for (const std::int64_t skin : parents[cluster]) {
        for (const std::int64_t geometry : parents[skin]) {
          const auto count = vertices_.find(geometry);
          if (end > (count == vertices_.end() ? 0 : count->second)) {
            throw_bad_input("a bone of the FBX has weights for vertices that are not in the file");
          }
        }
      }
    }
  }

  static constexpr std::uint64_t kArrayHead = 13;

  std::string_view bytes_;
  bool wide_ = false;
  std::int64_t object_ = 0;
  Connections connections_;
  std::map<std::int64_t, std::uint64_t> vertices_;     ///< by geometry
  std::map<std::int64_t, std::uint64_t> cluster_end_;  ///< by cluster: one more than the highest vertex
};

}  // namespace

void check_fbx(std::string_view bytes) {
  if (!bytes.starts_with("Kaydara FBX Binary")) {
    if (bytes.find("FBXHeaderExtension") == std::string_view::npos) throw_bad_input("the file is no FBX");
    throw_unsupported("FBX in text form cannot be read: save it in binary form, or as glTF");
  }
  BinaryFbx(bytes).check();
}

}  // namespace isochor
