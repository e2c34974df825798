// Written by scripts/syntax.py; a test tells when it is out of date.

export const declaring = new Set(
  ("array begin const endfct endfunction endmodule endproc endprocedure endprocess " +
  "endprogram endrecord function import in inout module of out procedure process program " +
  "record signal type var").split(" "),
);

export const moving = new Set(
  ("acc acc_ptp act_rob adax_control alter_by bezier c_cp c_ori c_pass c_ptp c_speed circle " +
  "device lin move move_inc ptp speed speed_ori speed_ptp spline wobble").split(" "),
);

export const operators = new Set(
  ("and div exor mod not or").split(" "),
);

export const truths = new Set(
  ("false true").split(" "),
);

export const types = new Set(
  ("add_joint bool bounds char file int joint main_joint orientation pose position real " +
  "robtarget semaphore string").split(" "),
);

export const functions = new Set(
  ("abs acos anglex angley anglez anglez2 asin atan atan2 chr close cos cross distance dot " +
  "exp float inv len ln lower max min norm open ord orimat orimult oriquat orirs orivang " +
  "orixyz oriyxz orizyx orizyz2 quata quatb quatc quatd rotangle rotaxis round running " +
  "sem_signal sem_wait sgn sin sqrt str_to_int str_to_real substr tan trunc upper vectora " +
  "vectorn vectoro").split(" "),
);

export const system = new Set(
  ("r_acc r_acc_ptp r_act_rob r_alter r_base r_c_cp r_c_ptp r_c_speed r_joint_act r_pose_act " +
  "r_robtarget_act r_speed r_speed_ori r_speed_ptp r_time r_tool r_wobble_length " +
  "r_wobble_width").split(" "),
);

export const control = new Set(
  ("at case do downto else elsif endcase endfor endif endwhile error for from goto halt if " +
  "input output pause repeat return sec start step stop then time timeout to until wait " +
  "when while write writeln").split(" "),
);

export const openers = new Set(
  ("case for function if procedure process record repeat while").split(" "),
);

export const closers = new Set(
  ("endcase endfct endfor endfunction endif endmodule endproc endprocedure endprocess " +
  "endprogram endrecord endwhile until").split(" "),
);
