/** Thrown where there are more groups than may be kept, or more rows than may be read: another way answers then. */
export class TooMuchToDo extends Error {}
