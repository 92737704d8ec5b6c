/** Which entities wait for slots of Druid, as the process knows that looked last. */
export interface SlotWaitCatalog {
  /** By entity, since when. */
  list(): Promise<ReadonlyMap<number, number>>
  /** Notes who waits now; who did before keeps its time. Whether that changed anything. */
  put(entityIds: readonly number[], nowMs: number): Promise<boolean>
}
