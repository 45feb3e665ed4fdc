// The API's messages as JSON, with types generated from dto/troika.proto.
//
// protobuf-es makes every field of a JSON type optional. The server prints all
// fields that are neither `optional` nor messages, so Wire makes these required.
import type { Message } from "@bufbuild/protobuf";
import type * as pb from "./gen/troika_pb";

/** A double is a number: the server prints no NaN and no infinity. */
type Scalar<J> = [Extract<J, number>] extends [never] ? J : number;

type Wire<J, M> = M extends number
  ? Scalar<J>
  : J extends readonly (infer JE)[]
    ? M extends readonly (infer ME)[]
      ? Wire<JE, ME>[]
      : J
    : M extends { $typeName: "google.protobuf.Value" }
      ? J
      : M extends Message
        ? J extends object
          ? Fields<J, M>
          : J
        : J;

type Always<M> = { [K in keyof M]-?: undefined extends M[K] ? never : K }[keyof M];

type Fields<J, M> = {
  [K in keyof J & Always<M>]-?: Wire<NonNullable<J[K]>, M[K]>;
} & {
  [K in Exclude<keyof J & keyof M, Always<M>>]?: Wire<NonNullable<J[K]>, NonNullable<M[K]>>;
};

type Payloads = pb.Event["payload"];
export type PayloadCase = Exclude<Payloads["case"], undefined>;
type PayloadMessage<C> = Extract<Payloads, { case: C }> extends { value: infer V } ? V : never;
export type Payload<C extends PayloadCase> = Wire<NonNullable<pb.EventJson[C]>, PayloadMessage<C>>;

export type Event = Omit<Fields<pb.EventJson, pb.Event>, "cut"> & {
  cut?: { field: string; size: string }[];
} & { [C in PayloadCase]?: Payload<C> };

export type Task = Fields<pb.TaskJson, pb.Task>;
export type TaskState = Task["state"];
export type Approval = Payload<"approval">;
export type Question = Payload<"question">;
export type Receipt = Payload<"receipt">;
export type Usage = Payload<"usage">;
export type Result = Payload<"result">;
export type TokenCounts = NonNullable<Usage["total"]>;
export type TodoItem = Payload<"todo">["items"][number];
export type Answered = Fields<pb.AnsweredJson, pb.Answered>;
export type ApiErrorBody = Fields<pb.ErrorJson, pb.Error>;
export type Harness = Fields<pb.HarnessInfoJson, pb.HarnessInfo>;
export type Capabilities = NonNullable<Harness["capabilities"]>;
export type EditMode = pb.EditModeJson;
export type RawRecord = Fields<pb.RawRecordJson, pb.RawRecord>;
export type EventPage = Omit<Fields<pb.ListEventsResponseJson, pb.ListEventsResponse>, "events"> & {
  events: Event[];
};
export type Turns = Fields<pb.ListTurnsResponseJson, pb.ListTurnsResponse>;
export type Turn = Turns["turns"][number];
export type Search = Fields<pb.SearchEventsResponseJson, pb.SearchEventsResponse>;
export type Folder = Fields<pb.FolderJson, pb.Folder>;
export type PageSession = Fields<pb.PageSessionJson, pb.PageSession>;
export type UsageReport = Fields<pb.UsageResponseJson, pb.UsageResponse>;
export type UsageRow = Fields<pb.UsageResponse_RowJson, pb.UsageResponse_Row>;

export type CreateTask = pb.CreateTaskRequestJson;
export type Input = pb.InputRequestJson;
export type InputMode = NonNullable<Input["mode"]>;
export type Respond = pb.RespondRequestJson;
export type Resume = pb.ResumeRequestJson;
export type Fork = pb.ForkRequestJson;
export type LaunchOptions = pb.LaunchOptionsJson;
