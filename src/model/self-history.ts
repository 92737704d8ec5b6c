/** The entity of the service's own metrics, and the ingest that feeds it. */
export const selfEntity = 'tidemark_self'
