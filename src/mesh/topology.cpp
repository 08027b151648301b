#include "isochor/mesh/topology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

using mesh::DisjointSets;

/// One face's passage along an edge.
struct EdgeUse {
  Index a, b;  // a < b
  Index face;
  bool forward;  // the face runs from a to b
};

/// All edge uses sorted by edge, then face; uses of edge e are uses[begin[e]] … uses[begin[e+1]-1].
struct EdgeTable {
  std::vector<EdgeUse> uses;
  std::vector<Index> begin = {0};

  std::size_t edge_count() const { return begin.size() - 1; }
  std::span<const EdgeUse> edge(std::size_t e) const { return {uses.data() + begin[e], uses.data() + begin[e + 1]}; }
};

EdgeTable make_edges(const Surface& surface) {
  const auto for_uses = [&](const auto& visit) {
    for (std::size_t f = 0; f < surface.face_count(); ++f) {
      const auto face = surface.face(f);
      for (std::size_t i = 0; i < face.size(); ++i) {
        const Index a = face[i];
        const Index b = face[i + 1 == face.size() ? 0 : i + 1];
        if (a != b) visit(EdgeUse{std::min(a, b), std::max(a, b), static_cast<Index>(f), a < b});
      }
    }
  };
  // By a first, in one pass: the few uses of a vertex are then sorted among themselves.
  std::vector<std::size_t> place(surface.vertex_count() + 1, 0);
  for_uses([&](const EdgeUse& use) { ++place[use.a + 1]; });
  for (std::size_t v = 1; v < place.size(); ++v) place[v] += place[v - 1];
  EdgeTable table;
  table.uses.resize(place.back());
  for_uses([&](const EdgeUse& use) { table.uses[place[use.a]++] = use; });
  std::size_t begin = 0;
  for (std::size_t v = 0; v + 1 < place.size(); ++v) {  // place[v] is the end of v's uses now
    std::sort(table.uses.begin() + static_cast<std::ptrdiff_t>(begin),
              table.uses.begin() + static_cast<std::ptrdiff_t>(place[v]), [](const EdgeUse& l, const EdgeUse& r) {
                return std::array{l.b, l.face, static_cast<Index>(l.forward)} <
                       std::array{r.b, r.face, static_cast<Index>(r.forward)};
              });
    begin = place[v];
  }
  for (std::size_t i = 1; i <= table.uses.size(); ++i) {
    if (i == table.uses.size() || table.uses[i].a != table.uses[i - 1].a || table.uses[i].b != table.uses[i - 1].b) {
      table.begin.push_back(static_cast<Index>(i));
    }
  }
  return table;
}

void classify_edges(const EdgeTable& table, Topology& topology) {
  for (std::size_t e = 0; e < table.edge_count(); ++e) {
    const auto uses = table.edge(e);
    const auto index = static_cast<Index>(e);
    topology.edges.push_back({uses[0].a, uses[0].b});
    if (uses.size() == 1) topology.boundary_edges.push_back(index);
    if (uses.size() > 2) topology.non_manifold_edges.push_back(index);
    if (uses.size() == 2 && uses[0].forward == uses[1].forward) topology.flipped_edges.push_back(index);
  }
}

std::size_t face_components(const Surface& surface, Topology& topology) {
  DisjointSets sets(surface.vertex_count());
  std::vector<char> used(surface.vertex_count(), 0);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    for (const Index v : face) {
      used[v] = 1;
      sets.join(face[0], v);
    }
  }
  topology.component_of_vertex.assign(surface.vertex_count(), kNone);
  std::vector<Index> number(surface.vertex_count(), kNone);
  Index count = 0;
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (!used[v]) {
      topology.isolated_vertices.push_back(static_cast<Index>(v));
      continue;
    }
    Index& n = number[sets.find(static_cast<Index>(v))];
    if (n == kNone) n = count++;
    topology.component_of_vertex[v] = n;
  }
  topology.components.resize(count);
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    const Index c = topology.component_of_vertex[v];
    if (c != kNone) topology.components[c].vertices.push_back(static_cast<Index>(v));
  }
  topology.component_of_face.resize(surface.face_count());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const Index c = topology.component_of_vertex[surface.face(f)[0]];
    topology.component_of_face[f] = c;
    topology.components[c].faces.push_back(static_cast<Index>(f));
  }
  return static_cast<std::size_t>(count);
}

/// Faces next to each other across an edge with two faces: the neighbour, and whether both run the same way through it.
struct Neighbour {
  Index face;
  bool disagrees;
};

std::vector<std::vector<Neighbour>> face_neighbours(const EdgeTable& table, std::size_t faces) {
  std::vector<std::vector<Neighbour>> neighbours(faces);
  for (std::size_t e = 0; e < table.edge_count(); ++e) {
    const auto uses = table.edge(e);
    if (uses.size() != 2 || uses[0].face == uses[1].face) continue;
    const bool disagrees = uses[0].forward == uses[1].forward;
    neighbours[uses[0].face].push_back({uses[1].face, disagrees});
    neighbours[uses[1].face].push_back({uses[0].face, disagrees});
  }
  return neighbours;
}

/// Colours the faces of a component by orientation. A component may fall into several patches where faces meet in
/// vertices or non-manifold edges only; each is oriented by itself.
void orient(const std::vector<std::vector<Neighbour>>& neighbours, std::vector<signed char>& sign,
            Component& component) {
  component.oriented = true;
  component.orientable = true;
  std::vector<Index> stack;
  for (const Index seed : component.faces) {
    if (sign[seed] != 0) continue;
    sign[seed] = 1;
    std::vector<Index> patch = {seed};
    stack = {seed};
    std::size_t negative = 0;
    while (!stack.empty()) {
      const Index f = stack.back();
      stack.pop_back();
      for (const auto& [g, disagrees] : neighbours[f]) {
        if (disagrees) component.oriented = false;
        const auto wanted = static_cast<signed char>(disagrees ? -sign[f] : sign[f]);
        if (sign[g] == 0) {
          sign[g] = wanted;
          negative += wanted < 0 ? 1 : 0;
          patch.push_back(g);
          stack.push_back(g);
        } else if (sign[g] != wanted) {
          component.orientable = false;
        }
      }
    }
    const signed char flipped = negative * 2 > patch.size() ? 1 : -1;
    for (const Index f : patch) {
      if (sign[f] == flipped) component.flips.push_back(f);
    }
  }
  std::sort(component.flips.begin(), component.flips.end());
  if (!component.orientable) component.flips.clear();
}

/// Boundary loops with the surface on the left, following the faces' own direction after the flips.
void trace_boundaries(const Surface& surface, const EdgeTable& table, Topology& topology) {
  std::vector<char> flipped(surface.face_count(), 0);
  for (const Component& component : topology.components) {
    for (const Index f : component.flips) flipped[f] = 1;
  }
  std::map<Index, std::vector<Index>> next;  // ordered: the result must not depend on hashing
  for (const Index e : topology.boundary_edges) {
    const EdgeUse& use = table.edge(e)[0];
    const bool forward = use.forward != (flipped[use.face] != 0);
    next[forward ? use.a : use.b].push_back(forward ? use.b : use.a);
  }
  for (auto& [from, targets] : next) {
    while (!targets.empty()) {
      std::vector<Index> loop = {from};
      Index at = targets.back();
      targets.pop_back();
      while (at != from) {
        loop.push_back(at);
        const auto it = next.find(at);
        if (it == next.end() || it->second.empty()) break;  // not a closed loop: orientation is inconsistent here
        at = it->second.back();
        it->second.pop_back();
      }
      topology.components[topology.component_of_vertex[from]].boundary_loops.push_back(std::move(loop));
    }
  }
}

/// Vertices whose faces form more than one fan when only shared edges connect them.
void find_split_vertices(const Surface& surface, const EdgeTable& table, Topology& topology) {
  std::vector<std::vector<Index>> faces_of(surface.vertex_count());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (const Index v : surface.face(f)) {
      if (faces_of[v].empty() || faces_of[v].back() != static_cast<Index>(f)) {
        faces_of[v].push_back(static_cast<Index>(f));
      }
    }
  }
  std::vector<std::vector<Index>> edges_of(surface.vertex_count());
  for (std::size_t e = 0; e < table.edge_count(); ++e) {
    edges_of[topology.edges[e].a].push_back(static_cast<Index>(e));
    edges_of[topology.edges[e].b].push_back(static_cast<Index>(e));
  }
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    const auto& faces = faces_of[v];
    if (faces.size() < 2) continue;
    const auto local = [&](Index f) {
      return static_cast<Index>(std::lower_bound(faces.begin(), faces.end(), f) - faces.begin());
    };
    DisjointSets fans(faces.size());
    for (const Index e : edges_of[v]) {
      const auto uses = table.edge(e);
      for (std::size_t i = 1; i < uses.size(); ++i) fans.join(local(uses[0].face), local(uses[i].face));
    }
    for (std::size_t i = 1; i < faces.size(); ++i) {
      if (fans.find(static_cast<Index>(i)) != 0) {
        topology.non_manifold_vertices.push_back(static_cast<Index>(v));
        break;
      }
    }
  }
}

/// Faces with the vertices of an earlier one; `sorted` are the corners, in increasing order within each face.
std::vector<Index> find_duplicates(const Surface& surface, std::span<const Index> sorted) {
  const auto key = [&](Index f) {
    return sorted.subspan(static_cast<std::size_t>(surface.face_begin[f]),
                          surface.face(static_cast<std::size_t>(f)).size());
  };
  std::vector<Index> order(surface.face_count());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index f, Index g) {
    const auto a = key(f), b = key(g);
    if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return f < g;
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  std::vector<Index> duplicates;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto a = key(order[i - 1]), b = key(order[i]);
    if (std::equal(a.begin(), a.end(), b.begin(), b.end())) duplicates.push_back(order[i]);
  }
  std::sort(duplicates.begin(), duplicates.end());
  return duplicates;
}

void find_bad_faces(const Surface& surface, Topology& topology) {
  std::vector<Index> sorted = surface.corners;
  const double scale =
      bounding_box(surface.positions).isEmpty() ? 0 : bounding_box(surface.positions).diagonal().squaredNorm();
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    const auto key = std::span(sorted).subspan(static_cast<std::size_t>(surface.face_begin[f]), face.size());
    std::sort(key.begin(), key.end());
    const bool repeated = std::adjacent_find(key.begin(), key.end()) != key.end();
    Vec3 area = Vec3::Zero();
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      area += (surface.positions[face[i]] - surface.positions[face[0]])
                  .cross(surface.positions[face[i + 1]] - surface.positions[face[0]]);
    }
    if (repeated || !(area.norm() > 1e-14 * scale)) topology.degenerate_faces.push_back(static_cast<Index>(f));
  }
  topology.duplicate_faces = find_duplicates(surface, sorted);
}

}  // namespace

Topology analyse(const Surface& surface) {
  Topology topology;
  const EdgeTable table = make_edges(surface);
  classify_edges(table, topology);
  face_components(surface, topology);

  const auto neighbours = face_neighbours(table, surface.face_count());
  std::vector<signed char> sign(surface.face_count(), 0);
  for (Component& component : topology.components) {
    component.closed = true;
    component.manifold = true;
    orient(neighbours, sign, component);
  }
  find_split_vertices(surface, table, topology);
  const auto component_of_edge = [&](Index e) -> Component& {
    return topology.components[topology.component_of_vertex[topology.edges[e].a]];
  };
  for (const Index e : topology.boundary_edges) component_of_edge(e).closed = false;
  for (const Index e : topology.non_manifold_edges) component_of_edge(e).manifold = false;
  for (const Index v : topology.non_manifold_vertices) {
    topology.components[topology.component_of_vertex[v]].manifold = false;
  }
  trace_boundaries(surface, table, topology);
  find_bad_faces(surface, topology);
  return topology;
}

Problems validate(const Surface& surface) {
  Problems problems;
  ProblemCollector not_finite, out_of_range, too_small;
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (!surface.positions[v].allFinite()) not_finite.add(static_cast<Index>(v));
  }
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    if (face.size() < 3) too_small.add(static_cast<Index>(f));
    for (const Index v : face) {
      if (v < 0 || static_cast<std::size_t>(v) >= surface.vertex_count()) {
        out_of_range.add(static_cast<Index>(f));
        break;
      }
    }
  }
  not_finite.report(problems, Severity::error, "position-not-finite",
                    "{} vert{ex|ices} {has|have} a position that is not a number");
  too_small.report(problems, Severity::error, "face-too-small", "{} face{|s} {has|have} fewer than three corners");
  out_of_range.report(problems, Severity::error, "vertex-out-of-range",
                      "{} face{|s} refer{s|} to vertices that do not exist");
  if (!problems.empty()) return problems;  // nothing more can be said about a surface that cannot be walked

  const Topology topology = analyse(surface);
  const auto list = [&](std::span<const Index> elements, Severity severity, const char* code, const char* sentence) {
    ProblemCollector collector;
    for (const Index e : elements) collector.add(e);
    collector.report(problems, severity, code, sentence);
  };
  list(topology.boundary_edges, Severity::note, "boundary-edges",
       "{} edge{|s} lie{s|} on a boundary: the surface is open");
  list(topology.non_manifold_edges, Severity::warning, "non-manifold-edges",
       "{} edge{|s} {has|have} more than two faces");
  list(topology.non_manifold_vertices, Severity::warning, "non-manifold-vertices",
       "{} vert{ex|ices} join{s|} surfaces that touch in that point only");
  list(topology.flipped_edges, Severity::warning, "flipped-edges",
       "{} edge{|s} {has|have} faces that disagree in orientation");
  list(topology.duplicate_faces, Severity::warning, "duplicate-faces",
       "{} face{|s} repeat{s|} the vertices of an earlier face");
  list(topology.degenerate_faces, Severity::warning, "degenerate-faces", "{} face{|s} {has|have} no area");
  list(topology.isolated_vertices, Severity::note, "isolated-vertices", "{} vert{ex|ices} belong{s|} to no face");
  ProblemCollector unorientable;
  for (std::size_t c = 0; c < topology.components.size(); ++c) {
    if (!topology.components[c].orientable) unorientable.add(static_cast<Index>(c));
  }
  unorientable.report(problems, Severity::warning, "not-orientable",
                      "{} component{|s} cannot be oriented consistently");
  return problems;
}

}  // namespace isochor
