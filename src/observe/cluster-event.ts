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
  | { readonly kind: 'laneTaken'; readonly lane: number; readonly position: number }
  | { readonly kind: 'laneLeft'; readonly lane: number }
  | { readonly kind: 'laneFailed'; readonly lane: number; readonly message: string; readonly retryInMs: number }
