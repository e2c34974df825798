// Made by `make page` from armwerk.protocol; edit the classes there.

/** A command as it is sent: with a number that comes back in its answer. */
export type Numbered<T> = T & { request: number };

/** The first message. */
export interface Greeting {
  type: "Greeting";
  version: string;
  cells: string[];
  files: string[];
  arms: string[];
  grippers: string[];
  mark_moving: boolean;
  mark_fast: boolean;
  show_zones: boolean;
  view: "cell" | "arm" | "motion" | "space" | "program" | "mobile";
  subject: string;
  recordings: string[];
}

/** Something that moves as one piece; its frame is what frames of poses place. */
export interface ViewedBody {
  name: string;
  owner: string;
  parent: number;
}

/** The other end of a solid that becomes longer and shorter, between two bodies. */
export interface ViewedStretch {
  body: number;
  start: [number, number, number];
  end: [number, number, number];
}

/** A coloured solid that hangs rigidly on a body. */
export interface ViewedSolid {
  kind: "box" | "sphere" | "ball" | "cylinder" | "mesh";
  role: "obstacle" | "belt" | "border" | "zone" | "barrier" | "thing" | "robot";
  name: string;
  body: number;
  position: [number, number, number];
  quaternion: [number, number, number, number];
  size: [number, number, number];
  colour: string;
  alpha: number;
  motor: number;
  triangles: number[];
  stretch: ViewedStretch | null;
}

/** A motor; how it moves comes with every frame of poses. */
export interface ViewedMotor {
  name: string;
  owner: string;
  unit: string;
  low: number | null;
  high: number | null;
}

/** The marks on a belt, by which its motion is seen. */
export interface ViewedBelt {
  name: string;
  triangles: number[];
  colour: string;
  middle: number;
  half: number;
  pitch: number;
  way: [number, number, number];
}

/** A floor with its tiles and paint. */
export interface ViewedFloor {
  low: [number, number];
  high: [number, number];
  picture: string;
}

/** Who sees everything from the front. */
export interface ViewedCamera {
  target: [number, number, number];
  distance: number;
  azimuth: number;
  elevation: number;
}

/** Everything there is to see. */
export interface ViewedGeometry {
  type: "ViewedGeometry";
  version: number;
  title: string;
  bodies: ViewedBody[];
  solids: ViewedSolid[];
  motors: ViewedMotor[];
  belts: ViewedBelt[];
  floor: ViewedFloor | null;
  camera: ViewedCamera;
  missing: string[];
}

/** Something that happened. */
export interface ViewedEvent {
  number: number;
  kind: "note" | "trigger" | "problem" | "contact" | "state" | "clock";
  time: number;
  instance: number;
  text: string;
  point: [number, number, number] | null;
  force: number | null;
}

/** What is shown is a recording; sent behind its geometry. */
export interface ViewedRecording {
  type: "ViewedRecording";
  file: string;
  begin: number;
  end: number;
  states: number;
  rate: number;
  whole: boolean;
  events: ViewedEvent[];
  left_out: number;
}

/** What touches now; sent to those who have asked with `ShowContacts`. */
export interface ViewedContacts {
  type: "ViewedContacts";
  time: number;
  points: number[];
  forces: number[];
}

/** The cell as it is written. */
export interface CellText {
  type: "CellText";
  text: string;
  file: string;
  version: number;
  controllers: string[];
}

/** How time goes. */
export interface ClockStatus {
  state: "running" | "paused" | "failed";
  time: number;
  speed: number;
  rate: number;
  lag: number;
  problem: string;
}

/** A robot and its program. */
export interface ViewedRobot {
  number: number;
  arm: string;
  controller: string;
  description: string;
  config: string;
  state: "idle" | "running" | "done" | "failed" | "stuck" | "stopped" | "paused";
  error: string;
  program: string;
  line: number;
}

/** How a cell stands. */
export interface CellStatus {
  type: "CellStatus";
  clock: ClockStatus;
  robots: ViewedRobot[];
  values: number[];
  can_undo: boolean;
  can_redo: boolean;
  viewers: number;
  recording: string;
  epoch: number;
}

/** What happened. */
export interface NewEvents {
  type: "NewEvents";
  events: ViewedEvent[];
  dropped: number;
}

/** Something wrong in a text. */
export interface TextProblem {
  line: number;
  column: number;
  length: number;
  message: string;
  expected: string;
}

/** Files, by their paths from the folder. */
export interface FileList {
  type: "FileList";
  files: string[];
}

/** The text of a file. */
export interface FileText {
  type: "FileText";
  file: string;
  text: string;
}

/** A recording that was begun or ended. */
export interface RecordingSaved {
  type: "RecordingSaved";
  file: string;
  seconds: number;
}

/** An arm to start from. */
export interface ArmChoice {
  name: string;
  title: string;
  group: string;
}

/** What one can start from. */
export interface ArmChoices {
  type: "ArmChoices";
  choices: ArmChoice[];
}

/** The description of an arm. */
export interface OpenedArm {
  type: "OpenedArm";
  name: string;
  text: string;
  file: string;
  note: string;
}

/** Something wrong with a description. */
export interface ArmProblem {
  place: string;
  line: number;
  message: string;
}

/** A field of the form of an arm. */
export interface FormField {
  place: string;
  label: string;
  hint: string;
  text: string;
  choices: string[];
}

/** A column of a table. */
export interface FormColumn {
  field: string;
  label: string;
  hint: string;
  choices: string[];
}

/** A row that can be added. */
export interface FormOffer {
  kind: string;
  label: string;
  hint: string;
}

/** A table with a row for each joint, part, union or platform. */
export interface FormTable {
  title: string;
  array: string;
  columns: FormColumn[];
  rows: string[][];
  offers: FormOffer[];
}

/** A description as a form. */
export interface ArmForm {
  fields: FormField[];
  tables: FormTable[];
}

/** A joint variable. */
export interface ArmMotor {
  name: string;
  unit: string;
  low: number | null;
  high: number | null;
  start: number;
}

/** What a description looks like. */
export interface SeenArm {
  type: "SeenArm";
  problems: ArmProblem[];
  form: ArmForm | null;
  geometry: ViewedGeometry | null;
  motors: ArmMotor[];
  frames: string[];
  symbols: string[];
  title: string;
  summary: string;
  size: number;
  note: string;
  is_serial: boolean;
}

/** A way to reach a pose. */
export interface ArmSolution {
  name: string;
  joints: number[];
  outside: number[];
  current: boolean;
}

/** Where an arm is. */
export interface PosedArm {
  type: "PosedArm";
  joints: number[];
  tool: number[];
  bodies: string;
  frames: string;
  reached: boolean;
  message: string;
  solutions: ArmSolution[];
  ghosts: string;
  method: string;
  preparing: boolean;
  dexterity: number;
}

/** A description, edited or converted. */
export interface ArmText {
  type: "ArmText";
  text: string;
}

/** One thing of a derivation. */
export interface DerivedLine {
  kind: "heading" | "text" | "formula" | "table" | "tree" | "singular";
  text: string;
  rows: string[][];
  joints: number[];
}

/** A model in closed form, step by step. */
export interface DerivedModel {
  type: "DerivedModel";
  stage: "direct" | "equations" | "inverse" | "velocity" | "dynamics" | "operations";
  lines: DerivedLine[];
  seconds: number;
}

/** A file of a derivation. */
export interface DerivedFile {
  name: string;
  text: string;
}

/** A derivation as files. */
export interface DerivedFiles {
  type: "DerivedFiles";
  files: DerivedFile[];
}

/** Places that an arm reaches. */
export interface SweptArm {
  type: "SweptArm";
  points: string;
  values: string;
  cell: number;
  volume: number;
  reach: number;
  message: string;
}

/** The axis of a joint in the world. */
export interface AxisRow {
  name: string;
  kind: string;
  direction: string;
  place: string;
}

/** The axes of an arm's joints, from the base outwards. */
export interface ArmAxes {
  type: "ArmAxes";
  rows: AxisRow[];
}

/** A joint of a staged arm. */
export interface StagedJoint {
  name: string;
  unit: string;
  low: number | null;
  high: number | null;
  velocity: number | null;
  acceleration: number | null;
  jerk: number | null;
  force: number | null;
}

/** A body around a staged arm. */
export interface StagedBody {
  name: string;
  kind: string;
  region: boolean;
  colour: string;
}

/** An arm among bodies. */
export interface ArmStaged {
  type: "ArmStaged";
  arm: string;
  joints: StagedJoint[];
  rest: number[];
  bodies: StagedBody[];
  geometry: ViewedGeometry;
  is_serial: boolean;
}

/** Where everything is. */
export interface StagePosed {
  type: "StagePosed";
  poses: string;
  tool: number[];
  inclination: [number, number] | null;
  contact: string;
  body: string;
  point: [number, number, number] | null;
  distance: number | null;
}

/** Bodies as TOML. */
export interface BodiesText {
  type: "BodiesText";
  text: string;
}

/** An axis of a map. */
export interface SpaceAxis {
  joint: number;
  name: string;
  unit: string;
  low: number;
  high: number;
  cells: number;
  is_turn: boolean;
}

/** The map of two joints. */
export interface SpaceMap {
  type: "SpaceMap";
  axes: [SpaceAxis, SpaceAxis];
  picture: string;
  tests: number;
  hits: number;
  free: number;
  fractions: number[];
  several: number;
  seconds: number;
  method: string;
}

/** Something to be said about a motion. */
export interface MotionRemark {
  text: string;
  begin: number | null;
  end: number | null;
}

/** The first contact of a motion, with which it would be refused. */
export interface MotionTouch {
  text: string;
  time: number;
  point: [number, number, number];
}

/** A motion in m samples, evenly spread over its duration; rows as base64, see `staging`. */
export interface SampledMotion {
  type: "SampledMotion";
  duration: number;
  samples: number;
  position: string;
  velocity: string;
  acceleration: string;
  jerk: string;
  force: string;
  tool: string;
  poses: string;
  marks: string;
  remarks: MotionRemark[];
  touch: MotionTouch | null;
  clearance: number | null;
}

/** A free path. */
export interface FoundRoute {
  type: "FoundRoute";
  motion: SampledMotion;
  waypoints: string;
  corners: number;
  length: number;
  seconds: number;
  planner: string;
}

/** Places that an arm reaches. */
export interface ReachCloud {
  type: "ReachCloud";
  points: string;
  values: string;
  count: number;
  cell: number;
  volume: number;
  tried: number;
  free: number;
  seconds: number;
}

/** A row of a table; angles in rad, lengths in m; None: as in the settings. */
export interface TrajectoryRow {
  kind: string;
  name: string;
  point: [number, number, number] | null;
  inclination: number | null;
  roll: number;
  angles: [number, number, number] | null;
  phi: number | null;
  points: number | null;
  help: string;
  speed: number | null;
  blend: number | null;
  joints: number[] | null;
}

/** A help point [m]. */
export interface NamedPoint {
  name: string;
  point: [number, number, number];
}

/** What rows take over when they do not say it themselves. */
export interface TableDefaults {
  speed: number;
  blend: number;
  points: number;
  acceleration: number;
  jerk: number;
  profile: string;
  near: number | null;
  near_speed: number | null;
  far: number | null;
  far_speed: number | null;
  shape: string;
}

/** A table of trajectories. */
export interface TableContents {
  type: "TableContents";
  rows: TrajectoryRow[];
  help_points: NamedPoint[];
  settings: TableDefaults;
}

/** A table as its file has it. */
export interface TableText {
  type: "TableText";
  text: string;
}

/** A body as it is edited. */
export interface BodyRow {
  kind: string;
  name: string;
  region: boolean;
  position: [number, number, number];
  turn: [number, number, number];
  sizes: number[];
  corners: number[];
  normals: number[];
}

/** Bodies as they are edited. */
export interface BodiesContents {
  type: "BodiesContents";
  bodies: BodyRow[];
}

/** Something wrong or dangerous in a program. */
export interface ProgramProblem {
  line: number;
  column: number;
  length: number;
  message: string;
  expected: string;
  is_warning: boolean;
}

/** What is wrong with a program. */
export interface ProgramChecked {
  type: "ProgramChecked";
  problems: ProgramProblem[];
}

/** What a variable holds from a step on. */
export interface VariableChange {
  name: string;
  value: string;
}

/** A line that a run is about to carry out. */
export interface ProgramStep {
  line: number;
  time: number;
  changes: VariableChange[];
  letters: number;
}

/** The run of a program. */
export interface ProgramRun {
  type: "ProgramRun";
  steps: ProgramStep[];
  output: string;
  ending: string;
  problem: ProgramProblem | null;
  motion: SampledMotion | null;
}

/** A program as text. */
export interface ProgramText {
  type: "ProgramText";
  name: string;
  text: string;
}

/** Scenes that can be opened. */
export interface MobileSceneList {
  type: "MobileSceneList";
  shipped: string[];
  files: string[];
}

/** A body or robot of a scene. */
export interface MobileObject {
  name: string;
  kind: string;
  mass: number;
  density: number;
  friction: number;
  active: boolean;
  program: string;
  changed: string[];
}

/** A scene that is open. */
export interface MobileOpened {
  type: "MobileOpened";
  scene: string;
  version: number;
  geometry: ViewedGeometry;
  objects: MobileObject[];
  programs: string[];
  settings: string[];
  chosen: string;
  physics: boolean;
  follow_landscape: boolean;
  kinds: string[];
}

/** A line of the log. */
export interface MobileLine {
  time: number;
  kind: string;
  text: string;
}

/** Where everything is. */
export interface MobileMoment {
  type: "MobileMoment";
  version: number;
  frame: string;
  time: number;
  running: boolean;
  speed: number;
  rate: number;
  problem: string;
  log: number;
  known: number;
  missed: number;
  lines: MobileLine[];
  rays: string;
}

/** Settings that were kept. */
export interface MobileSettingsSaved {
  type: "MobileSettingsSaved";
  name: string;
  file: string;
  settings: string[];
}

/** What became of a command. */
export interface Answer {
  type: "Answer";
  request: number;
  problem: string;
  problems: TextProblem[];
  result: FileList | FileText | RecordingSaved | ArmChoices | OpenedArm | SeenArm | PosedArm | ArmText | DerivedModel | DerivedFiles | SweptArm | ArmAxes | ArmStaged | StagePosed | BodiesText | SpaceMap | FoundRoute | ReachCloud | SampledMotion | TableContents | TableText | BodiesContents | ProgramChecked | ProgramRun | ProgramText | MobileSceneList | MobileOpened | MobileMoment | MobileSettingsSaved | null;
}

/** Let time pass. */
export interface RunClock {
  type: "RunClock";
}

/** Let time stand. */
export interface PauseClock {
  type: "PauseClock";
}

/** Make some physics steps and stand. */
export interface StepClock {
  type: "StepClock";
  steps: number;
}

/** Choose simulated per real time; 0: as fast as possible. */
export interface SetSpeed {
  type: "SetSpeed";
  speed: number;
}

/** Put everything back to the beginning, programs included. */
export interface ResetWorld {
  type: "ResetWorld";
}

/** Start, stop or pause the program of a robot. */
export interface SteerProgram {
  type: "SteerProgram";
  action: "start" | "stop" | "pause";
  robot: number | null;
}

/** Send a trigger; -1: to all robots. */
export interface SendTrigger {
  type: "SendTrigger";
  instance: number;
  text: string;
}

/** Give a robot's controller a line of the commander. */
export interface SendLine {
  type: "SendLine";
  robot: number;
  text: string;
}

/** Send a motor somewhere [rad or m]. */
export interface JogMotor {
  type: "JogMotor";
  robot: number;
  motor: string;
  value: number;
}

/** Put a thing, fixed body, belt or robot elsewhere in the text of the cell. */
export interface MoveBody {
  type: "MoveBody";
  name: string;
  position: number[];
  angle: number | null;
}

/** Move a thing, fixed body, belt or robot by an offset in the text of the cell [m]. */
export interface ShiftBody {
  type: "ShiftBody";
  name: string;
  offset: [number, number, number];
}

/** Make something larger or smaller, see `armwerk.scene.resized`. */
export interface ResizeBody {
  type: "ResizeBody";
  name: string;
  size: number[];
}

/** Take something away. */
export interface RemoveBody {
  type: "RemoveBody";
  name: string;
}

/** Add statements to the text of the cell. */
export interface AddLines {
  type: "AddLines";
  lines: string;
}

/** Add a robot. */
export interface AddRobot {
  type: "AddRobot";
  position: [number, number];
  angle: number;
  manipulator: string | null;
  gripper: string | null;
}

/** Put another text in the place of the whole. */
export interface RewriteCell {
  type: "RewriteCell";
  text: string;
}

/** Take back the last edit. */
export interface UndoEdit {
  type: "UndoEdit";
}

/** Make the edit again that was taken back last. */
export interface RedoEdit {
  type: "RedoEdit";
}

/** Open a shipped cell by name, or a file below the folder the studio was started in. */
export interface OpenCell {
  type: "OpenCell";
  name: string;
}

/** Write the text of the cell to a file below the folder the studio was started in. */
export interface SaveCell {
  type: "SaveCell";
  file: string;
}

/** Go to a time of a recording [s]. */
export interface SeekTime {
  type: "SeekTime";
  time: number;
}

/** Record the cell to a file below the folder; empty: one named after the cell and the time. */
export interface StartRecording {
  type: "StartRecording";
  file: string;
}

/** End the recording. */
export interface StopRecording {
  type: "StopRecording";
}

/** Say whether this viewer wants to be told what touches. */
export interface ShowContacts {
  type: "ShowContacts";
  shown: boolean;
}

/** Put a thing elsewhere in the running world, at rest; the text stays as it is. */
export interface PlaceThing {
  type: "PlaceThing";
  name: string;
  position: [number, number, number];
}

/** Give a robot another program in the text of the cell. */
export interface SetProgram {
  type: "SetProgram";
  robot: number;
  controller: string;
  config: string;
}

/** Ask for the text of the robot program that steers a robot. */
export interface ReadRobotProgram {
  type: "ReadRobotProgram";
  robot: number;
}

/** Ask what is wrong in a text, without putting it in the place of the cell's. */
export interface CheckCell {
  type: "CheckCell";
  text: string;
}

/** Ask for the files with one of some endings, such as ".toml". */
export interface ListFiles {
  type: "ListFiles";
  endings: string[];
}

/** Ask for the text of a file. */
export interface ReadFile {
  type: "ReadFile";
  file: string;
}

/** Write a text to a file, which is complete or untouched. */
export interface WriteFile {
  type: "WriteFile";
  file: string;
  text: string;
}

/** Ask what one can start from. */
export interface ListArms {
  type: "ListArms";
}

/** Ask for the description of an arm as the command line names it; all becomes TOML. */
export interface OpenArm {
  type: "OpenArm";
  name: string;
}

/** Ask what a description looks like, and what is wrong with it. */
export interface LookAtArm {
  type: "LookAtArm";
  text: string;
  symbols: string;
  file: string;
}

/** Ask where an arm is, or how it gets its tool somewhere. */
export interface PoseArm {
  type: "PoseArm";
  text: string;
  symbols: string;
  joints: number[];
  goal: number[];
  solutions: boolean;
}

/** Ask for a description with one thing changed; comments and everything else stay. */
export interface EditArm {
  type: "EditArm";
  text: string;
  action: "set" | "add" | "remove" | "earlier" | "later";
  place: string;
  value: string;
}

/** Ask for a description in another format. */
export interface ConvertArm {
  type: "ConvertArm";
  text: string;
  ending: string;
}

/** Ask for one model in closed form; symbols stay symbols. */
export interface DeriveArm {
  type: "DeriveArm";
  text: string;
  stage: "direct" | "equations" | "inverse" | "velocity" | "dynamics" | "operations";
}

/** Ask for a derivation as files. */
export interface WriteDerivation {
  type: "WriteDerivation";
  text: string;
  format: "latex" | "pdf" | "c" | "python";
}

/** Ask which places an arm reaches. */
export interface SweepArm {
  type: "SweepArm";
  text: string;
  symbols: string;
}

/** Ask for the axes of an arm's joints, with all joints at zero. */
export interface ReadAxes {
  type: "ReadAxes";
  text: string;
  symbols: string;
}

/** Ask for the description of an arm with other axes; frames and rows are placed anew. */
export interface WriteAxes {
  type: "WriteAxes";
  text: string;
  symbols: string;
  axes: string;
}

/** Show an arm among bodies. */
export interface StageArm {
  type: "StageArm";
  arm: string;
  bodies: string;
}

/** Ask where everything is for some joint values. */
export interface PoseStage {
  type: "PoseStage";
  arm: string;
  bodies: string;
  q: number[];
}

/** Ask for bodies to begin with, made for the size of an arm. */
export interface SuggestBodies {
  type: "SuggestBodies";
  arm: string;
}

/** Ask for the map of two joints. */
export interface MapSpace {
  type: "MapSpace";
  arm: string;
  bodies: string;
  axes: [number, number];
  cells: [number, number];
  q: number[];
}

/** Ask for a free path. */
export interface FindRoute {
  type: "FindRoute";
  arm: string;
  bodies: string;
  axes: [number, number];
  start: number[];
  goal: number[];
  planner: "a-star" | "rrt-connect" | "prm";
  margin: number;
}

/** Ask which places an arm reaches. */
export interface SweepReach {
  type: "SweepReach";
  arm: string;
  bodies: string;
  samples: number;
  cell: number;
}

/** What every plan keeps to. */
export interface MotionRules {
  speed: number;
  margin: number;
  self_check: boolean;
  slow: boolean;
  near: number;
  near_speed: number;
  far: number;
  far_speed: number;
}

/** Plan the motion of a table of trajectories, from where the arm stands. */
export interface PlanTable {
  type: "PlanTable";
  arm: string;
  bodies: string;
  rules: MotionRules;
  table: string;
  q: number[];
}

/** Plan a motion to joint values. */
export interface PlanMove {
  type: "PlanMove";
  arm: string;
  bodies: string;
  rules: MotionRules;
  q: number[];
  goal: number[];
}

/** Plan a step of one coordinate. */
export interface PlanJog {
  type: "PlanJog";
  arm: string;
  bodies: string;
  rules: MotionRules;
  q: number[];
  frame: "joint" | "world" | "tool" | "cylindrical";
  axis: number;
  step: number;
}

/** Plan a motion through positions that were taught or recorded. */
export interface PlanTaught {
  type: "PlanTaught";
  arm: string;
  bodies: string;
  rules: MotionRules;
  q: number[];
  positions: string;
  blend: number;
}

/** Ask what a table of trajectories holds. */
export interface ReadTable {
  type: "ReadTable";
  text: string;
  ending: ".toml" | ".csv";
}

/** Ask for a table as a file with another ending has it. */
export interface WriteTable {
  type: "WriteTable";
  text: string;
  ending: ".toml" | ".csv";
}

/** Ask what a text of bodies holds. */
export interface ReadBodies {
  type: "ReadBodies";
  text: string;
}

/** Ask what is wrong with a program, and what is a danger in it. */
export interface CheckProgram {
  type: "CheckProgram";
  text: string;
}

/** Ask for the run of a program on an arm. */
export interface RunProgram {
  type: "RunProgram";
  text: string;
  arm: string;
  inputs: string;
}

/** Ask for a program in one form. */
export interface FormatProgram {
  type: "FormatProgram";
  text: string;
}

/** Ask for a program in a maker's language. */
export interface ExportProgram {
  type: "ExportProgram";
  text: string;
  maker: "krl" | "rapid" | "urscript";
}

/** Ask which scenes can be opened. */
export interface ListMobileScenes {
  type: "ListMobileScenes";
}

/** Ask for a scene; its time stands at first. */
export interface OpenMobileScene {
  type: "OpenMobileScene";
  scene: string;
  settings: string;
  anew: boolean;
}

/** Ask where everything is, and what has happened. */
export interface WatchMobile {
  type: "WatchMobile";
  seen: number;
}

/** Let time pass or stand, make one step of the programs, or go back to the beginning. */
export interface SteerMobile {
  type: "SteerMobile";
  action: "start" | "stop" | "step" | "reset";
}

/** Choose how fast time passes. */
export interface SetMobileSpeed {
  type: "SetMobileSpeed";
  speed: number;
}

/** Switch physics on or off; the scene goes back to its beginning. */
export interface SwitchPhysics {
  type: "SwitchPhysics";
  physics: boolean;
  follow_landscape: boolean;
}

/** Empty the log. */
export interface ClearMobileLog {
  type: "ClearMobileLog";
}

/** Write the log to a file. */
export interface SaveMobileLog {
  type: "SaveMobileLog";
  file: string;
  kinds: string[];
}

/** Say something of a body or robot, while time stands. */
export interface EditMobileObject {
  type: "EditMobileObject";
  name: string;
  attribute: "type" | "mass" | "density" | "friction" | "active" | "program";
  value: string;
}

/** Put a movable body or a robot somewhere by hand, at rest; also while time passes. */
export interface PlaceMobileObject {
  type: "PlaceMobileObject";
  name: string;
  position: [number, number, number];
}

/** Keep the scene as it is set up, under a name. */
export interface SaveMobileSettings {
  type: "SaveMobileSettings";
  name: string;
}

/** A joint whose slider moves a body, and all that hang on it. */
export interface StandaloneJoint {
  body: number;
  kind: "revolute" | "prismatic";
  axis: [number, number, number];
  position: [number, number, number];
  quaternion: [number, number, number, number];
  value: number;
}

/** Everything that a page without a server shows. */
export interface StandaloneScene {
  type: "StandaloneScene";
  geometry: ViewedGeometry;
  joints: StandaloneJoint[];
  way: number[];
}

export type Message =
  | Greeting
  | ViewedGeometry
  | ViewedRecording
  | ViewedContacts
  | CellText
  | CellStatus
  | NewEvents
  | Answer;

export type Command =
  | RunClock
  | PauseClock
  | StepClock
  | SetSpeed
  | ResetWorld
  | SteerProgram
  | SendTrigger
  | SendLine
  | JogMotor
  | MoveBody
  | ShiftBody
  | ResizeBody
  | RemoveBody
  | AddLines
  | AddRobot
  | RewriteCell
  | UndoEdit
  | RedoEdit
  | OpenCell
  | SaveCell
  | SeekTime
  | StartRecording
  | StopRecording
  | ShowContacts
  | PlaceThing
  | SetProgram
  | ReadRobotProgram
  | CheckCell
  | ListFiles
  | ReadFile
  | WriteFile
  | ListArms
  | OpenArm
  | LookAtArm
  | PoseArm
  | EditArm
  | ConvertArm
  | DeriveArm
  | WriteDerivation
  | SweepArm
  | ReadAxes
  | WriteAxes
  | StageArm
  | PoseStage
  | SuggestBodies
  | MapSpace
  | FindRoute
  | SweepReach
  | PlanTable
  | PlanMove
  | PlanJog
  | PlanTaught
  | ReadTable
  | WriteTable
  | ReadBodies
  | CheckProgram
  | RunProgram
  | FormatProgram
  | ExportProgram
  | ListMobileScenes
  | OpenMobileScene
  | WatchMobile
  | SteerMobile
  | SetMobileSpeed
  | SwitchPhysics
  | ClearMobileLog
  | SaveMobileLog
  | EditMobileObject
  | PlaceMobileObject
  | SaveMobileSettings;

export type Result =
  | FileList
  | FileText
  | RecordingSaved
  | ArmChoices
  | OpenedArm
  | SeenArm
  | PosedArm
  | ArmText
  | DerivedModel
  | DerivedFiles
  | SweptArm
  | ArmAxes
  | ArmStaged
  | StagePosed
  | BodiesText
  | SpaceMap
  | FoundRoute
  | ReachCloud
  | SampledMotion
  | TableContents
  | TableText
  | BodiesContents
  | ProgramChecked
  | ProgramRun
  | ProgramText
  | MobileSceneList
  | MobileOpened
  | MobileMoment
  | MobileSettingsSaved;
