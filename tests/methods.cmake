# The matrix of methods: contact and physics again by each method of solving alone. Label `methods`.

# Contact. Cloth, ropes and heaps take these methods too long; one test names a preconditioner. Gauss-Seidel does not reach
# 1e-10 where a thousand times the mass lies on light boxes, nor 1e-6 where a rigid body lands on more points than it needs
# (in one step of 30 m/s not 1e-4) or rolls on its tip, and takes no mapped points.
set(contact_without contact_stacks* contact_cloth* contact_events.of_a_sheet* contact_heap* contact_rope* contact_soft* contact_surfaces*
  contact_methods* contact_rolling.every_formulation*
  contact_crossings* contact_walking*)
set(contact_without_gauss_seidel contact_piles.ten* contact_piles.heavy* contact_through.body_and_cloth*
  contact_skin.*a_box* contact_skin.*across* contact_skin.*momentum* contact_skin.skins* *mapped* *excluded_bodies*
  *all_pairs* *plate_of_a_body* contact_wheels.cone* contact_deforming.skin_lifts* contact_deforming.moves_as*
  contact_law.oblique*)
foreach(method projected_gradient gauss_seidel)
  taut_discover_method(taut_contact_tests contact ${method} "contact_*/cpu"
    ${contact_without} ${contact_without_${method}})
endforeach()

# Physics. Two tests are about preconditioners that only the Schur complement has; hard chains under 1e5 times their weight
# are beyond the condensed system. The least compliance of bends is relative to masses in the Schur complement, and far too
# much for strips of 4e-6 kg/m^2.
set(physics pendulum chain oscillator soft membrane cloth reference bodies joints linkages rods rod_motion coupling mappings
  mapped_masses)
list(TRANSFORM physics APPEND ".*/cpu")
list(JOIN physics ":" physics)
set(physics_without_condensed *every_preconditioner* chain.swings_a_heavy_load_*)
set(physics_without_direct *every_preconditioner*)
set(physics_without_schur membrane.light_strips*)
set(methods condensed schur)
if(TAUT_WITH_DIRECT)
  list(APPEND methods direct)
endif()
foreach(method IN LISTS methods)
  taut_discover_method(taut_physics_tests physics ${method} "${physics}" ${physics_without_${method}})
endforeach()
