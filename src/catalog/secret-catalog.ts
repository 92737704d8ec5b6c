/** Random values that outlive restarts: what tokens and batch ids are signed with. */
export interface SecretCatalog {
  /** The secret of this name; made at first use. */
  secret(name: string): Promise<Uint8Array>
}
