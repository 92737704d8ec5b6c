// Property tests start with the configured seed, as the other random tests do. fast-check reports its own seed in each failure.

import fc from 'fast-check'

const seed = process.env['TIDEMARK_TEST_SEED']
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
