#include "CGeodesic.h"

#include <GeographicLib/Geodesic.hpp>

cgeodesic_inverse_t cgeodesic_inverse(
    double latitude1, double longitude1, double latitude2, double longitude2) {
    cgeodesic_inverse_t result{};
    GeographicLib::Geodesic::WGS84().Inverse(
        latitude1, longitude1, latitude2, longitude2,
        result.distance, result.initial_course, result.final_course);
    return result;
}

cgeodesic_direct_t cgeodesic_direct(
    double latitude, double longitude, double course, double distance) {
    cgeodesic_direct_t result{};
    GeographicLib::Geodesic::WGS84().Direct(
        latitude, longitude, course, distance,
        result.latitude, result.longitude, result.final_course);
    return result;
}
