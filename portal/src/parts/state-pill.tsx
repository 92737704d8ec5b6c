interface Props {
  readonly ingest: {
    readonly state: 'active' | 'blocked'
    readonly reason?: string | null
    readonly counters?: { readonly rejected: number }
  }
}

export function StatePill({ ingest: { state, reason, counters } }: Props) {
  if (state === 'blocked') {
    return (
      <span class="pill bad" title={reason ?? undefined}>
        blocked
      </span>
    )
  }
  if ((counters?.rejected ?? 0) > 0) return <span class="pill warn">rows rejected</span>
  return <span class="pill good">active</span>
}
