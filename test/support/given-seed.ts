// Property tests begin with the seed that is given, as the other random tests do. Each of fast-check's own names its seed when it fails.

import fc from 'fast-check'

const seed = process.env['TIDEMARK_TEST_SEED']
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
