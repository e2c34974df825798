// Direct kinematics of an arm that the page moves by itself: values come in, places of bodies go out.
import { Quaternion, Vector3 } from "three";
import type { Poses } from "../frames";
import type { StandaloneScene } from "../messages";

/** Return where all bodies are for some joint values [rad or m]; those without a joint stay. */
export function posed(scene: StandaloneScene, values: number[], first: Poses): Poses {
  const { bodies } = scene.geometry;
  const joints = new Map(scene.joints.map((joint, number) => [joint.body, { joint, value: values[number] ?? 0 }]));
  const places = first.places.slice();
  const turns = first.turns.slice();
  const found = bodies.map((body, number) => {
    const moved = joints.get(number);
    const own = { place: new Vector3().fromArray(places, 3 * number), turn: turnOf(turns, number) };
    if (moved === undefined) return own;
    const { joint, value } = moved;
    const axis = new Vector3(...joint.axis);
    const [w, x, y, z] = joint.quaternion;
    const turn = new Quaternion(x, y, z, w);
    const place = new Vector3(...joint.position);
    if (joint.kind === "prismatic") place.add(axis.multiplyScalar(value).applyQuaternion(turn));
    else turn.multiply(new Quaternion().setFromAxisAngle(axis, value));
    return { place, turn, parent: body.parent };
  });
  found.forEach((one, number) => {
    const parent = "parent" in one ? found[one.parent] : undefined;
    if (parent !== undefined) {
      one.place.applyQuaternion(parent.turn).add(parent.place);
      one.turn.premultiply(parent.turn);
    }
    one.place.toArray(places, 3 * number);
    const { x, y, z, w } = one.turn;
    turns.set([w, x, y, z], 4 * number);
  });
  return { ...first, places, turns };
}

function turnOf(turns: Float32Array, body: number): Quaternion {
  const [w = 1, x = 0, y = 0, z = 0] = turns.subarray(4 * body, 4 * body + 4);
  return new Quaternion(x, y, z, w);
}
