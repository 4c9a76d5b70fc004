import { AwsRefusal } from '../aws-refusal.ts'

/**
 * A call rejected immediately. `code` is Athena's AthenaErrorCode.
 * Source: Athena API, InvalidRequestException.
 */
export class InvalidRequest extends AwsRefusal {
  override readonly name: string = 'InvalidRequest'
  constructor(message: string, code = 'INVALID_INPUT') {
    super(400, 'InvalidRequestException', message, { AthenaErrorCode: code })
  }
}

/** The statement is not SQL, or SQL that is not supported. As on Athena, no query starts. */
export class MalformedQuery extends InvalidRequest {
  constructor(complaint: string) {
    super(complaint, 'MALFORMED_QUERY')
  }
}

/**
 * The party that is responsible for a failed query, with Athena's category and type.
 * Source: Athena User Guide, "Athena error catalog" (1 system, 2 user; 1 memory ran out, 200 the engine had an internal
 * error, 401 the results could not be written, 1000 user error).
 */
const faultTypes = {
  user: { category: 2, type: 1000 },
  memory: { category: 2, type: 1 },
  engine: { category: 1, type: 200 },
  results: { category: 1, type: 401 },
} as const

/** The query started but failed. It ends FAILED with the message as its StateChangeReason. */
export class QueryFault extends Error {
  override readonly name = 'QueryFault'
  readonly category: number
  readonly type: number
  constructor(code: string, message: string, party: keyof typeof faultTypes = 'user', options?: ErrorOptions) {
    super(`${code}: ${message}`, options)
    this.category = faultTypes[party].category
    this.type = faultTypes[party].type
  }
}

/** The query was stopped from outside. It ends CANCELLED with the message as its StateChangeReason. */
export class QueryCancelled extends Error {
  override readonly name = 'QueryCancelled'
}
