// Geodesics on the WGS 84 ellipsoid, over GeographicLib (C. F. F. Karney, "Algorithms for
// geodesics", J. Geodesy 87, 2013). A C header, because the library's own interface is C++
// templates and classes. Every function is pure and may be called from any thread. Angles are
// degrees, lengths metres.
#ifndef CGEODESIC_H
#define CGEODESIC_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double distance;       // metres along the shortest path
    double initial_course; // degrees clockwise from true north at the first point, (-180, 180]
    double final_course;   // the same at the second point
} cgeodesic_inverse_t;

typedef struct {
    double latitude;
    double longitude;    // [-180, 180]
    double final_course; // degrees at the point reached
} cgeodesic_direct_t;

/// The shortest path between two points.
cgeodesic_inverse_t cgeodesic_inverse(
    double latitude1, double longitude1, double latitude2, double longitude2);

/// The point reached by going `distance` metres from a point, starting out at `course`.
cgeodesic_direct_t cgeodesic_direct(
    double latitude, double longitude, double course, double distance);

#ifdef __cplusplus
}
#endif

#endif
