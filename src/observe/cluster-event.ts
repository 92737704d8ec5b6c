/** What happens in a cluster and nowhere else. */
export type ClusterEvent =
  | { readonly kind: 'journalReached'; readonly topic: string; readonly partitions: number; readonly ms: number }
  | { readonly kind: 'journalAway'; readonly topic: string; readonly message: string }
  /** Kafka has deleted what was not judged yet. */
  | {
      readonly kind: 'journalGap'
      readonly topic: string
      readonly partition: number
      readonly fromOffset: number
      readonly toOffset: number
    }
  /** What was needed no more was deleted from Kafka. */
  | {
      readonly kind: 'topicTrimmed'
      readonly topic: string
      readonly partition: number
      readonly beforeOffset: number
    }
  /** One of Kafka, Druid and PostgreSQL does not answer. */
  | { readonly kind: 'partAway'; readonly part: string; readonly message: string }
  | { readonly kind: 'partBack'; readonly part: string }
  /** Druid was told of entities that are new or changed. */
  | { readonly kind: 'supervisorsChanged'; readonly entityIds: readonly number[] }
  /** Entities were given slots of Druid, or gave them back. */
  | { readonly kind: 'slotsMoved'; readonly woken: readonly number[]; readonly resting: readonly number[] }
  /** The entities that have rows and no slots are others than before; none when all have what they need. */
  | { readonly kind: 'slotsWaitedFor'; readonly entities: readonly string[]; readonly freeSlots: number }
  /** Druid's JVM tells other offsets of some zones than the service, whose rules are of this version of the tz database. */
  | {
      readonly kind: 'timeZonesDiffer'
      /** Some of them. */
      readonly zones: readonly string[]
      readonly differing: number
      readonly version: string
    }
  | { readonly kind: 'entityRemoved'; readonly entityId: number }
  | { readonly kind: 'laneTaken'; readonly lane: number; readonly position: number }
  | { readonly kind: 'laneLeft'; readonly lane: number }
  | { readonly kind: 'laneFailed'; readonly lane: number; readonly message: string; readonly retryInMs: number }
