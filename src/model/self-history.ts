/** The entity of the service's own metrics, and its ingest. */
export const selfEntity = 'tidemark_self'
