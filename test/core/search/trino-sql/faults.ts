import type { Place } from './syntax.ts'

/** The statement is outside the grammar of `syntax.ts`. */
export class MalformedQuery extends Error {
  constructor(at: Place, complaint: string) {
    super(`${at}: ${complaint}`)
  }
}

/** Trino would start the query and fail it with this code. */
export class QueryFault extends Error {
  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
  }
}
