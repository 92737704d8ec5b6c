import { messageOf } from './message-of.ts'
/** The message of a system error about a file or an address, as the end of a sentence. */
export function systemErrorText(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EISDIR':
      return 'it is a folder'
    case 'ENOTDIR':
      return 'a part of its path is not a folder'
    case 'EACCES':
    case 'EPERM':
      return 'this user does not have permission'
    case 'EROFS':
      return 'its disk is read only'
    case 'ENOSPC':
      return 'its disk is full'
    case 'ELOOP':
      return 'it is a link where none is followed, or its links lead in a circle'
    case 'ENAMETOOLONG':
      return 'its name is too long'
    default:
      return messageOf(error)
  }
}

/** A code such as ENOENT; undefined if the error is not a system error. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
