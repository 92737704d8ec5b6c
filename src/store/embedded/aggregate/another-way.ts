/** Thrown where the SQL engine has to answer: more groups than may be kept, more rows than may be read, or a number that doubles do not hold. */
export class AnotherWay extends Error {}
