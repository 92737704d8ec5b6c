// Ensures that Java and an S3 server (Adobe's S3Mock) are available for the tests of tools; prints the class path of the server at the end.
import { jars, requireJava } from './cluster/jars.mjs'

requireJava()
console.log(jars('s3mock'))
