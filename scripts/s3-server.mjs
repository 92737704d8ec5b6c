// Sees to it that there are Java and a server that speaks S3, Adobe's S3Mock, for the tests of tools; prints its class path at the end.
import { jars, requireJava } from './cluster/jars.mjs'

requireJava()
console.log(jars('s3mock'))
