#include "isochor/rig/joint_names.h"

#include <map>
#include <set>
#include <sstream>

#include "isochor/rig/retarget.h"
#include "support/data.h"

namespace isochor {
namespace {

/// A chain of joints below `parent`, as "name=role name=role …". '@' stands for a side, '~' for a blank; the role '-'
/// is none.
struct Chain {
  std::string parent;
  std::string joints;
};

struct Convention {
  std::string name;
  std::string left, right;  // what '@' stands for
  std::vector<Chain> chains;
};

struct Rig {
  std::string name;
  Skeleton skeleton;
  std::vector<std::string> roles;  // #J
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

void add_chain(Rig& rig, const Chain& chain, const std::string& side, const std::string& role_side) {
  std::istringstream words(replaced(chain.joints, "~", "\x1f"));
  Index parent = rig.skeleton.find(replaced(replaced(chain.parent, "@", side), "~", " "));
  ASSERT_TRUE(chain.parent.empty() || parent != kNone) << rig.name << ": " << chain.parent;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.rfind('=');
    Joint joint;
    joint.name = replaced(replaced(word.substr(0, equals), "@", side), "\x1f", " ");
    joint.parent = parent;
    parent = static_cast<Index>(rig.skeleton.size());
    rig.skeleton.joints.push_back(joint);
    rig.roles.push_back(replaced(word.substr(equals + 1), "@", role_side));
  }
}

Rig make_rig(const Convention& convention) {
  Rig rig{convention.name, {}, {}};
  for (const Chain& chain : convention.chains) {
    const bool sided = (chain.parent + chain.joints).find('@') != std::string::npos;
    add_chain(rig, chain, convention.left, "left-");
    if (sided) add_chain(rig, chain, convention.right, "right-");
  }
  return rig;
}

std::string to_text(const JointRole& role) {
  static const std::vector<std::string> parts{"-",      "hips",      "spine",   "neck", "head",  "jaw",   "eye",
                                              "collar", "upper_arm", "forearm", "hand", "thumb", "index", "middle",
                                              "ring",   "pinky",     "thigh",   "shin", "foot",  "toes"};
  const bool numbered = is_chain(role.part) || (role.part >= BodyPart::thumb && role.part <= BodyPart::pinky);
  const std::string side = role.side == BodySide::left ? "left-" : role.side == BodySide::right ? "right-" : "";
  return side + parts[static_cast<std::size_t>(role.part)] + (numbered ? std::to_string(role.number) : "");
}

/// Mixamo's joints, with what stands before each name.
Convention mixamo(const std::string& name, const std::string& prefix) {
  const std::vector<Chain> chains{
      {"", "P:Hips=hips P:Spine=spine1 P:Spine1=spine2 P:Spine2=spine3 P:Neck=neck1 P:Head=head P:HeadTop_End=-"},
      {"P:Head", "P:@Eye=@eye"},
      {"P:Spine2", "P:@Shoulder=@collar P:@Arm=@upper_arm P:@ForeArm=@forearm P:@Hand=@hand"},
      {"P:@Hand", "P:@HandThumb1=@thumb1 P:@HandThumb2=@thumb2 P:@HandThumb3=@thumb3 P:@HandThumb4=@thumb4"},
      {"P:@Hand", "P:@HandIndex1=@index1 P:@HandIndex2=@index2 P:@HandIndex3=@index3 P:@HandIndex4=@index4"},
      {"P:@Hand", "P:@HandMiddle1=@middle1 P:@HandMiddle2=@middle2 P:@HandMiddle3=@middle3 P:@HandMiddle4=@middle4"},
      {"P:@Hand", "P:@HandRing1=@ring1 P:@HandRing2=@ring2 P:@HandRing3=@ring3 P:@HandRing4=@ring4"},
      {"P:@Hand", "P:@HandPinky1=@pinky1 P:@HandPinky2=@pinky2 P:@HandPinky3=@pinky3 P:@HandPinky4=@pinky4"},
      {"P:Hips", "P:@UpLeg=@thigh P:@Leg=@shin P:@Foot=@foot P:@ToeBase=@toes P:@Toe_End=-"},
  };
  Convention result{name, "Left", "Right", {}};
  for (const Chain& chain : chains) {
    result.chains.push_back({replaced(chain.parent, "P:", prefix), replaced(chain.joints, "P:", prefix)});
  }
  return result;
}

/// Unreal's mannequins, and others with the same joints but other separators.
Convention unreal(const std::string& name, const std::vector<Chain>& trunk) {
  std::vector<Chain> chains = trunk;
  chains.insert(chains.end(), {{"CHEST", "clavicle_@=@collar upperarm_@=@upper_arm lowerarm_@=@forearm hand_@=@hand"},
                               {"upperarm_@", "upperarm_twist_01_@=-"},
                               {"lowerarm_@", "lowerarm_twist_01_@=-"},
                               {"hand_@", "thumb_01_@=@thumb1 thumb_02_@=@thumb2 thumb_03_@=@thumb3"},
                               {"pelvis", "thigh_@=@thigh calf_@=@shin foot_@=@foot ball_@=@toes"},
                               {"thigh_@", "thigh_twist_01_@=-"},
                               {"root", "ik_foot_root=-"},
                               {"ik_foot_root", "ik_foot_@=-"},
                               {"root", "ik_hand_root=- ik_hand_gun=-"},
                               {"ik_hand_gun", "ik_hand_@=-"}});
  return {name, "l", "r", chains};
}

std::vector<Chain> with_chest(std::vector<Chain> chains, const std::string& chest) {
  for (Chain& chain : chains) chain.parent = replaced(chain.parent, "CHEST", chest);
  return chains;
}

Convention unreal_4() {
  Convention result = unreal(
      "Unreal 4", {{"", "root=- pelvis=hips spine_01=spine1 spine_02=spine2 spine_03=spine3 neck_01=neck1 head=head"}});
  result.chains.push_back({"hand_@", "index_01_@=@index1 index_02_@=@index2 index_03_@=@index3"});
  result.chains.push_back({"hand_@", "middle_01_@=@middle1 middle_02_@=@middle2 middle_03_@=@middle3"});
  result.chains.push_back({"hand_@", "ring_01_@=@ring1 ring_02_@=@ring2 ring_03_@=@ring3"});
  result.chains.push_back({"hand_@", "pinky_01_@=@pinky1 pinky_02_@=@pinky2 pinky_03_@=@pinky3"});
  result.chains = with_chest(result.chains, "spine_03");
  return result;
}

Convention unreal_5() {
  Convention result =
      unreal("Unreal 5", {{"",
                           "root=- pelvis=hips spine_01=spine1 spine_02=spine2 spine_03=spine3 spine_04=spine4 "
                           "spine_05=spine5 neck_01=neck1 neck_02=neck2 head=head"}});
  for (const char* finger : {"index", "middle", "ring", "pinky"}) {
    result.chains.push_back({"hand_@", replaced("F_metacarpal_@=@F0 F_01_@=@F1 F_02_@=@F2 F_03_@=@F3", "F", finger)});
  }
  result.chains.push_back({"clavicle_@", "clavicle_out_@=- clavicle_scap_@=-"});
  result.chains.push_back({"thigh_@", "thigh_correctiveRoot_@=- thigh_fwd_@=-"});
  result.chains = with_chest(result.chains, "spine_05");
  return result;
}

/// Unity's HumanBodyBones; VRM 0 has the same with a small first letter.
Convention unity() {
  Convention result{"Unity",
                    "Left",
                    "Right",
                    {{"", "Hips=hips Spine=spine1 Chest=spine2 UpperChest=spine3 Neck=neck1 Head=head Jaw=jaw"},
                     {"Head", "@Eye=@eye"},
                     {"UpperChest", "@Shoulder=@collar @UpperArm=@upper_arm @LowerArm=@forearm @Hand=@hand"},
                     {"Hips", "@UpperLeg=@thigh @LowerLeg=@shin @Foot=@foot @Toes=@toes"}}};
  for (const auto& [name, role] : std::vector<std::pair<std::string, std::string>>{
           {"Thumb", "thumb"}, {"Index", "index"}, {"Middle", "middle"}, {"Ring", "ring"}, {"Little", "pinky"}}) {
    const std::string chain = "@NProximal=@R1 @NIntermediate=@R2 @NDistal=@R3";
    result.chains.push_back({"@Hand", replaced(replaced(chain, "R", role), "N", name)});
  }
  return result;
}

Convention vrm_1() {
  Convention result{"VRM 1",
                    "left",
                    "right",
                    {{"", "hips=hips spine=spine1 chest=spine2 upperChest=spine3 neck=neck1 head=head jaw=jaw"},
                     {"head", "@Eye=@eye"},
                     {"upperChest", "@Shoulder=@collar @UpperArm=@upper_arm @LowerArm=@forearm @Hand=@hand"},
                     {"@Hand", "@ThumbMetacarpal=@thumb1 @ThumbProximal=@thumb2 @ThumbDistal=@thumb3"},
                     {"hips", "@UpperLeg=@thigh @LowerLeg=@shin @Foot=@foot @Toes=@toes"}}};
  for (const auto& [name, role] : std::vector<std::pair<std::string, std::string>>{
           {"Index", "index"}, {"Middle", "middle"}, {"Ring", "ring"}, {"Little", "pinky"}}) {
    const std::string chain = "@NProximal=@R1 @NIntermediate=@R2 @NDistal=@R3";
    result.chains.push_back({"@Hand", replaced(replaced(chain, "R", role), "N", name)});
  }
  return result;
}

Convention vroid() {
  return {"VRoid",
          "L",
          "R",
          {{"",
            "Root=- J_Bip_C_Hips=hips J_Bip_C_Spine=spine1 J_Bip_C_Chest=spine2 J_Bip_C_UpperChest=spine3 "
            "J_Bip_C_Neck=neck1 J_Bip_C_Head=head"},
           {"J_Bip_C_Head", "J_Adj_@_FaceEye=@eye"},
           {"J_Bip_C_Head", "J_Sec_Hair1_01=- J_Sec_Hair2_01=-"},
           {"J_Bip_C_UpperChest", "J_Sec_@_Bust1=- J_Sec_@_Bust2=-"},
           {"J_Bip_C_UpperChest",
            "J_Bip_@_Shoulder=@collar J_Bip_@_UpperArm=@upper_arm J_Bip_@_LowerArm=@forearm "
            "J_Bip_@_Hand=@hand"},
           {"J_Bip_@_Hand", "J_Bip_@_Thumb1=@thumb1 J_Bip_@_Thumb2=@thumb2 J_Bip_@_Thumb3=@thumb3"},
           {"J_Bip_@_Hand", "J_Bip_@_Index1=@index1 J_Bip_@_Index2=@index2 J_Bip_@_Index3=@index3"},
           {"J_Bip_@_Hand", "J_Bip_@_Middle1=@middle1 J_Bip_@_Middle2=@middle2 J_Bip_@_Middle3=@middle3"},
           {"J_Bip_@_Hand", "J_Bip_@_Ring1=@ring1 J_Bip_@_Ring2=@ring2 J_Bip_@_Ring3=@ring3"},
           {"J_Bip_@_Hand", "J_Bip_@_Little1=@pinky1 J_Bip_@_Little2=@pinky2 J_Bip_@_Little3=@pinky3"},
           {"J_Bip_C_Hips", "J_Bip_@_UpperLeg=@thigh J_Bip_@_LowerLeg=@shin J_Bip_@_Foot=@foot J_Bip_@_ToeBase=@toes"},
           {"J_Bip_C_Hips", "J_Sec_@_SkirtBack0_01=-"}}};
}

/// Rigify's metarig (prefix empty), or the deforming joints that it makes: "DEF-", with limbs of two parts.
Convention rigify(const std::string& name, const std::string& prefix, bool halves) {
  const std::string half_arm = halves ? " P-upper_arm.@.001=-" : "";
  const std::string half_forearm = halves ? " P-forearm.@.001=-" : "";
  const std::string half_thigh = halves ? " P-thigh.@.001=-" : "";
  const std::string half_shin = halves ? " P-shin.@.001=-" : "";
  const std::string last_shin = halves ? "P-shin.@.001" : "P-shin.@";
  const std::vector<Chain> chains{
      {"",
       "P-spine=hips P-spine.001=spine1 P-spine.002=spine2 P-spine.003=spine3 P-spine.004=neck1 P-spine.005=neck2 "
       "P-spine.006=head"},
      {"P-spine", "P-pelvis.@=-"},
      {"P-spine.003", "P-breast.@=-"},
      {"P-spine.003", "P-shoulder.@=@collar"},
      {"P-shoulder.@",
       "P-upper_arm.@=@upper_arm" + half_arm + " P-forearm.@=@forearm" + half_forearm + " P-hand.@=@hand"},
      {"P-hand.@", "P-palm.01.@=- P-f_index.01.@=@index1 P-f_index.02.@=@index2 P-f_index.03.@=@index3"},
      {"P-palm.01.@", "P-thumb.01.@=@thumb1 P-thumb.02.@=@thumb2 P-thumb.03.@=@thumb3"},
      {"P-hand.@", "P-palm.02.@=- P-f_middle.01.@=@middle1 P-f_middle.02.@=@middle2 P-f_middle.03.@=@middle3"},
      {"P-hand.@", "P-palm.03.@=- P-f_ring.01.@=@ring1 P-f_ring.02.@=@ring2 P-f_ring.03.@=@ring3"},
      {"P-hand.@", "P-palm.04.@=- P-f_pinky.01.@=@pinky1 P-f_pinky.02.@=@pinky2 P-f_pinky.03.@=@pinky3"},
      {"P-spine", "P-thigh.@=@thigh" + half_thigh + " P-shin.@=@shin" + half_shin},
      {last_shin, "P-foot.@=@foot P-toe.@=@toes"},
      {"P-foot.@", "P-heel.02.@=-"},
  };
  Convention result{name, "L", "R", {}};
  for (const Chain& chain : chains) {
    result.chains.push_back({replaced(chain.parent, "P-", prefix), replaced(chain.joints, "P-", prefix)});
  }
  return result;
}

/// The recordings of Carnegie Mellon in their BVH form; the side of two joints is a letter.
Convention cmu() {
  Convention result{
      "CMU",
      "Left",
      "Right",
      {{"", "Hips=hips LowerBack=spine1 Spine=spine2 Spine1=spine3 Neck=neck1 Neck1=neck2 Head=head"},
       {"Spine1", "@Shoulder=@collar @Arm=@upper_arm @ForeArm=@forearm @Hand=@hand"},
       {"@Hand", "@FingerBase=- @HandIndex1=@index1"},
       {"LeftHand", "LThumb=left-thumb1"},
       {"RightHand", "RThumb=right-thumb1"},
       {"Hips", "LHipJoint=-"},
       {"Hips", "RHipJoint=-"},
       {"LHipJoint", "LeftUpLeg=left-thigh LeftLeg=left-shin LeftFoot=left-foot LeftToeBase=left-toes"},
       {"RHipJoint", "RightUpLeg=right-thigh RightLeg=right-shin RightFoot=right-foot RightToeBase=right-toes"}}};
  return result;
}

Convention makehuman() {
  return {"MakeHuman",
          "L",
          "R",
          {{"",
            "root=hips spine05=spine1 spine04=spine2 spine03=spine3 spine02=spine4 spine01=spine5 neck01=neck1 "
            "neck02=neck2 neck03=neck3 head=head jaw=jaw tongue00=-"},
           {"head", "special06.@=- special05.@=- eye.@=@eye"},
           {"spine02", "breast.@=-"},
           {"spine01",
            "clavicle.@=@collar shoulder01.@=- upperarm01.@=@upper_arm upperarm02.@=- lowerarm01.@=@forearm "
            "lowerarm02.@=- wrist.@=@hand"},
           {"wrist.@", "finger1-1.@=@thumb1 finger1-2.@=@thumb2 finger1-3.@=@thumb3"},
           {"wrist.@", "metacarpal1.@=- finger2-1.@=@index1 finger2-2.@=@index2 finger2-3.@=@index3"},
           {"wrist.@", "metacarpal2.@=- finger3-1.@=@middle1 finger3-2.@=@middle2 finger3-3.@=@middle3"},
           {"wrist.@", "metacarpal3.@=- finger4-1.@=@ring1 finger4-2.@=@ring2 finger4-3.@=@ring3"},
           {"wrist.@", "metacarpal4.@=- finger5-1.@=@pinky1 finger5-2.@=@pinky2 finger5-3.@=@pinky3"},
           {"root", "pelvis.@=- upperleg01.@=@thigh upperleg02.@=- lowerleg01.@=@shin lowerleg02.@=- foot.@=@foot"},
           {"foot.@", "toe1-1.@=- toe1-2.@=-"},
           {"foot.@", "toe2-1.@=- toe2-2.@=- toe2-3.@=-"}}};
}

/// The joints of the CMU recordings as MakeHuman's rig for them has them.
Convention makehuman_cmu() {
  Convention result = cmu();
  result.name = "MakeHuman cmu_mb";
  for (Chain& chain : result.chains) chain.joints = replaced(chain.joints, "HandIndex1", "HandFinger1");
  return result;
}

/// Recordings that come with MakeHuman: helpers place each limb, and the hips lie beside the spine.
Convention makehuman_recordings() {
  return {"MakeHuman recordings",
          "L",
          "R",
          {{"", "Root=- Spine1=spine1 Spine2=spine2 Spine3=spine3 Neck=neck1 Head=head __Jaw=- Jaw=jaw"},
           {"Head", "__Eye_@=- Eye_@=@eye"},
           {"Spine3", "__Clavicle_@=- Clavicle_@=@collar UpArm_@=@upper_arm LoArm_@=@forearm Hand_@=@hand"},
           {"Hand_@", "__Thumb1_@=- Thumb1_@=@thumb1 Thumb2_@=@thumb2 Thumb3_@=@thumb3"},
           {"Hand_@", "__Index1_@=- Index1_@=@index1 Index2_@=@index2 Index3_@=@index3"},
           {"Hand_@", "Middle1_@=@middle1 Middle2_@=@middle2 Middle3_@=@middle3"},
           {"Hand_@", "__Ring1_@=- Ring1_@=@ring1 Ring2_@=@ring2 Ring3_@=@ring3"},
           {"Hand_@", "__Pinky1_@=- Pinky1_@=@pinky1 Pinky2_@=@pinky2 Pinky3_@=@pinky3"},
           {"Root", "Hips=hips"},
           {"Hips", "__UpLeg_@=- UpLeg_@=@thigh LoLeg_@=@shin Foot_@=@foot Toe_@=@toes"}}};
}

Convention biped() {
  return {"Biped",
          "L",
          "R",
          {{"",
            "Bip01=- Bip01~Pelvis=hips Bip01~Spine=spine1 Bip01~Spine1=spine2 Bip01~Spine2=spine3 Bip01~Neck=neck1 "
            "Bip01~Head=head Bip01~HeadNub=-"},
           {"Bip01~Neck",
            "Bip01~@~Clavicle=@collar Bip01~@~UpperArm=@upper_arm Bip01~@~Forearm=@forearm "
            "Bip01~@~Hand=@hand"},
           {"Bip01~@~UpperArm", "Bip01~@~UpArmTwist=-"},
           {"Bip01~@~Forearm", "Bip01~@~ForeTwist=-"},
           {"Bip01~@~Hand",
            "Bip01~@~Finger0=@thumb1 Bip01~@~Finger01=@thumb2 Bip01~@~Finger02=@thumb3 "
            "Bip01~@~Finger0Nub=-"},
           {"Bip01~@~Hand", "Bip01~@~Finger1=@index1 Bip01~@~Finger11=@index2 Bip01~@~Finger12=@index3"},
           {"Bip01~@~Hand", "Bip01~@~Finger2=@middle1 Bip01~@~Finger21=@middle2 Bip01~@~Finger22=@middle3"},
           {"Bip01~@~Hand", "Bip01~@~Finger3=@ring1 Bip01~@~Finger31=@ring2 Bip01~@~Finger32=@ring3"},
           {"Bip01~@~Hand", "Bip01~@~Finger4=@pinky1 Bip01~@~Finger41=@pinky2 Bip01~@~Finger42=@pinky3"},
           {"Bip01~Pelvis",
            "Bip01~@~Thigh=@thigh Bip01~@~Calf=@shin Bip01~@~Foot=@foot Bip01~@~Toe0=@toes "
            "Bip01~@~Toe0Nub=-"}}};
}

Convention poser() {
  return {"Poser",
          "l",
          "r",
          {{"", "hip=hips abdomen=spine1 chest=spine2 neck=neck1 head=head"},
           {"head", "@Eye=@eye"},
           {"chest", "@Collar=@collar @Shldr=@upper_arm @ForeArm=@forearm @Hand=@hand"},
           {"@Hand", "@Thumb1=@thumb1 @Thumb2=@thumb2 @Thumb3=@thumb3"},
           {"@Hand", "@Index1=@index1 @Index2=@index2 @Index3=@index3"},
           {"@Hand", "@Mid1=@middle1 @Mid2=@middle2 @Mid3=@middle3"},
           {"@Hand", "@Ring1=@ring1 @Ring2=@ring2 @Ring3=@ring3"},
           {"@Hand", "@Pinky1=@pinky1 @Pinky2=@pinky2 @Pinky3=@pinky3"},
           {"hip", "@Buttock=- @Thigh=@thigh @Shin=@shin @Foot=@foot @Toe=@toes"}}};
}

Convention daz() {
  return {"Daz Genesis 8",
          "l",
          "r",
          {{"",
            "hip=hips abdomenLower=spine1 abdomenUpper=spine2 chestLower=spine3 chestUpper=spine4 neckLower=neck1 "
            "neckUpper=neck2 head=head"},
           {"head", "@Eye=@eye"},
           {"chestUpper",
            "@Collar=@collar @ShldrBend=@upper_arm @ShldrTwist=- @ForearmBend=@forearm @ForearmTwist=- "
            "@Hand=@hand"},
           {"@Hand", "@Thumb1=@thumb1 @Thumb2=@thumb2 @Thumb3=@thumb3"},
           {"@Hand", "@Carpal1=- @Index1=@index1 @Index2=@index2 @Index3=@index3"},
           {"@Hand", "@Carpal2=- @Mid1=@middle1 @Mid2=@middle2 @Mid3=@middle3"},
           {"hip", "pelvis=-"},
           {"pelvis", "@ThighBend=@thigh @ThighTwist=- @Shin=@shin @Foot=@foot @Metatarsals=- @Toe=@toes"}}};
}

/// Joints named after what bends there; common in old BVH files and in Maya.
Convention anatomical() {
  return {"anatomical",
          "Left",
          "Right",
          {{"", "Hips=hips Chest=spine1 Neck=neck1 Head=head"},
           {"Chest", "@Collar=@collar @Shoulder=@upper_arm @Elbow=@forearm @Wrist=@hand"},
           {"Hips", "@Hip=@thigh @Knee=@shin @Ankle=@foot"}}};
}

Convention numbered_limbs() {
  return {"numbered limbs",
          "L",
          "R",
          {{"", "torso_joint_1=hips torso_joint_2=spine1 torso_joint_3=spine2 neck_joint_1=neck1 neck_joint_2=head"},
           {"torso_joint_3", "arm_joint_@__4_=@upper_arm arm_joint_@__3_=@forearm arm_joint_@__2_=@hand"},
           {"torso_joint_1", "leg_joint_@_1=@thigh leg_joint_@_2=@shin leg_joint_@_3=@foot leg_joint_@_5=@toes"}}};
}

/// A prefix of its own, a root and wrists above the hands.
Convention prefixed() {
  return {"prefixed",
          "L",
          "R",
          {{"",
            "hero_root=- hero_pelvis=hips hero_spineA=- hero_spine=spine1 hero_chest=spine2 hero_neck=neck1 "
            "hero_head=head hero_head_end=-"},
           {"hero_chest",
            "hero_@_scapula=@collar hero_@_shoulder=@upper_arm hero_@_elbow=@forearm hero_@_wrist=@hand "
            "hero_@_hand=-"},
           {"hero_pelvis", "hero_@_hip=@thigh hero_@_knee=@shin hero_@_ankle=@foot hero_@_tail=-"}}};
}

/// Feet that hang from the root, hips beside the legs, palms for hands.
Convention kinematic() {
  return {"kinematic",
          "L",
          "R",
          {{"", "Bone=-"},
           {"Bone", "Foot.@=@foot"},
           {"Bone", "Body=hips Hips=- Abdomen=spine1 Torso=spine2 Neck=neck1 Head=head"},
           {"Torso", "Shoulder.@=@collar UpperArm.@=@upper_arm LowerArm.@=@forearm Palm.@=@hand MiddleHand.@=-"},
           {"Palm.@", "Thumb1.@=@thumb1 Thumb2.@=@thumb2"},
           {"Body", "UpperLeg.@=@thigh LowerLeg.@=@shin"},
           {"Bone", "PoleTarget.@=-"}}};
}

std::vector<Rig> rigs() {
  std::vector<Rig> result;
  for (const Convention& convention : {mixamo("Mixamo", "mixamorig:"),
                                       mixamo("Mixamo 1", "mixamorig1:"),
                                       mixamo("Mixamo in three.js", "mixamorig"),
                                       mixamo("HumanIK", ""),
                                       unreal_4(),
                                       unreal_5(),
                                       unity(),
                                       vrm_1(),
                                       vroid(),
                                       rigify("Rigify metarig", "", false),
                                       rigify("Rigify", "DEF-", true),
                                       cmu(),
                                       makehuman(),
                                       makehuman_cmu(),
                                       makehuman_recordings(),
                                       biped(),
                                       poser(),
                                       daz(),
                                       anatomical(),
                                       numbered_limbs(),
                                       prefixed(),
                                       kinematic()}) {
    result.push_back(make_rig(convention));
  }
  return result;
}

// Every joint of every convention is what its authors mean by it.
TEST(JointNames, EachConvention) {
  for (const Rig& rig : rigs()) {
    const JointRoles roles = joint_roles(rig.skeleton);
    ASSERT_EQ(roles.of.size(), rig.skeleton.size());
    for (std::size_t j = 0; j < roles.of.size(); ++j) {
      EXPECT_EQ(to_text(roles.of[j]), rig.roles[j]) << rig.name << ": " << rig.skeleton.joints[j].name;
    }
  }
}

bool is_chain_role(const std::string& role) { return role.rfind("spine", 0) == 0 || role.rfind("neck", 0) == 0; }

/// Joints by role, without chains and what has none.
std::map<std::string, std::string> single_roles(const Rig& rig) {
  std::map<std::string, std::string> result;
  for (std::size_t j = 0; j < rig.roles.size(); ++j) {
    if (rig.roles[j] != "-" && !is_chain_role(rig.roles[j])) result[rig.roles[j]] = rig.skeleton.joints[j].name;
  }
  return result;
}

// Any convention's joints find those of any other, one to one: the same part on the same side, whatever the names.
TEST(JointNames, OntoEachOther) {
  const std::vector<Rig> all = rigs();
  for (const Rig& source : all) {
    for (const Rig& target : all) {
      std::set<Index> sources;
      std::map<std::string, std::string> paired;
      for (const JointPair& pair : match_joints(source.skeleton, target.skeleton)) {
        const std::string& from = source.roles[pair.source];
        const std::string& to = target.roles[pair.target];
        EXPECT_TRUE(sources.insert(pair.source).second);
        if (is_chain_role(from) || is_chain_role(to)) {
          EXPECT_EQ(from.substr(0, 4), to.substr(0, 4)) << source.name << " onto " << target.name;
        } else if (from != "-" && to != "-") {
          EXPECT_EQ(from, to) << source.name << " onto " << target.name;
          paired[to] = target.skeleton.joints[pair.target].name;
        } else {
          EXPECT_NE(pair.by, MatchedBy::part) << source.skeleton.joints[pair.source].name;
        }
      }
      const auto of_source = single_roles(source);
      for (const auto& [role, name] : single_roles(target)) {
        if (of_source.count(role) > 0) {
          EXPECT_EQ(paired.count(role), 1U) << role << " of " << source.name << " onto " << target.name << ": " << name;
        }
      }
    }
  }
}

Skeleton skeleton_of(const std::vector<std::pair<std::string, Index>>& joints) {
  Skeleton skeleton;
  for (const auto& [name, parent] : joints) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

std::vector<std::string> texts(const Skeleton& skeleton) {
  std::vector<std::string> result;
  for (const JointRole& role : joint_roles(skeleton).of) result.push_back(to_text(role));
  return result;
}

// Joints without a hierarchy, as WebXR has the hand, are ordered by what their names say.
TEST(JointNames, HandWithoutAHierarchy) {
  std::vector<std::pair<std::string, Index>> joints{{"wrist", kNone}};
  for (const char* name : {"thumb-tip", "thumb-phalanx-distal", "thumb-phalanx-proximal", "thumb-metacarpal",
                           "index-finger-tip", "index-finger-phalanx-distal", "index-finger-phalanx-intermediate",
                           "index-finger-phalanx-proximal", "index-finger-metacarpal"}) {
    joints.emplace_back(name, kNone);
  }
  EXPECT_EQ(texts(skeleton_of(joints)), (std::vector<std::string>{"hand", "-", "thumb3", "thumb2", "thumb1", "-",
                                                                  "index3", "index2", "index1", "index0"}));
}

// Names of animals and of things that only sound alike mean nothing: no partner is better than a wrong one.
TEST(JointNames, FalseFriends) {
  for (const char* name : {"root",
                           "Armature",
                           "FrontLeg.L",
                           "BackUpLeg.R",
                           "IKBackLeg.L",
                           "handIK.l",
                           "handslot.l",
                           "forehead",
                           "earring",
                           "eyebrow.L",
                           "MidLeg1.R",
                           "wing_l",
                           "Tail1",
                           "stomach",
                           "Knight_ArmLeft",
                           "upperarm_twist_01_l",
                           "HeadTop_End",
                           "head_leaf",
                           "LeftFingerBase",
                           "Bone.001",
                           "bone12",
                           "joint3",
                           "",
                           "l",
                           "01",
                           "LeftRightArm",
                           "armL_legR",
                           "Shoulders",
                           "handl",
                           "J_Sec_L_Bust1"}) {
    EXPECT_EQ(texts(skeleton_of({{name, kNone}})), std::vector<std::string>{"-"}) << name;
  }
  const std::string long_name(100000, 'u');
  EXPECT_EQ(texts(skeleton_of({{replaced(long_name, "uu", "up"), kNone}})), std::vector<std::string>{"-"});
}

// A knee that is not below the thigh is that of another leg.
TEST(JointNames, LimbsHangTogether) {
  EXPECT_EQ(texts(skeleton_of({{"Hips", kNone},
                               {"LeftHip", 0},
                               {"LeftHindKnee", 1},
                               {"Spine", 0},
                               {"LeftShoulder", 3},
                               {"LeftKnee", 4},
                               {"LeftFoot", 5}})),
            (std::vector<std::string>{"hips", "left-thigh", "-", "spine1", "left-upper_arm", "-", "-"}));
}

// Of joints that claim the same part, one that deforms is taken, then the one higher up; of two alike neither. The
// others are told.
TEST(JointNames, ClaimsOfSeveral) {
  Skeleton skeleton = skeleton_of({{"hand.l", kNone}, {"wrist.l", 0}, {"DEF-hand.l", 1}});
  EXPECT_EQ(texts(skeleton), (std::vector<std::string>{"left-hand", "-", "-"}));
  EXPECT_EQ(joint_roles(skeleton).surplus, (std::vector<Index>{1, 2}));
  skeleton.joints[0].deforms = skeleton.joints[1].deforms = false;
  EXPECT_EQ(texts(skeleton), (std::vector<std::string>{"-", "-", "left-hand"}));
  const Skeleton twins = skeleton_of({{"root", kNone}, {"head", 0}, {"Head", 0}});
  EXPECT_EQ(texts(twins), (std::vector<std::string>{"-", "-", "-"}));
  EXPECT_EQ(joint_roles(twins).surplus, (std::vector<Index>{1, 2}));
}

// Ends of bones, twists and controls are beside the body; names that say nothing are not.
TEST(JointNames, Helpers) {
  const Skeleton skeleton = skeleton_of({{"root", kNone},
                                         {"Head_end", 0},
                                         {"upperarm_twist_01_l", 0},
                                         {"handIK.l", 0},
                                         {"control-toe-roll.l", 0},
                                         {"__UpLeg_L", 0},
                                         {"FrontLeg.L", 0},
                                         {"tail", 0}});
  EXPECT_EQ(joint_roles(skeleton).helpers, (std::vector<Index>{1, 2, 3, 4, 5}));
}

// A name is simplified to its letters and digits, without the prefix of a namespace.
TEST(JointNames, Simplified) {
  EXPECT_EQ(simplified_name("mixamorig:Left_Arm"), "leftarm");
  EXPECT_EQ(simplified_name("Armature|Spine.001"), "spine001");
  EXPECT_EQ(simplified_name("a:"), "a:");
}

}  // namespace
}  // namespace isochor
