/** Thrown where another way answers: there are more groups than may be kept, more rows than may be read, or a number that doubles do not hold. */
export class AnotherWay extends Error {}
