import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { PresentedKey } from '../../core/access/api-key.ts'
import { parseAuthorization } from '../../core/access/api-key.ts'
import { Unauthorized } from '../../core/errors.ts'

/** Reads a header, ignoring case; if it was sent twice, the last one, as API Gateway does. */
export function readHeader({ headers }: Pick<APIGatewayProxyEvent, 'headers'>, name: string): string | undefined {
  const entries = Object.entries(headers ?? {}).filter(([key]) => key.toLowerCase() === name.toLowerCase())
  return entries.at(-1)?.[1]
}

/**
 * Parses the API key of a request, without checking it against the store.
 *
 * @throws Unauthorized if it is missing or malformed
 */
export function readApiKey(event: Pick<APIGatewayProxyEvent, 'headers'>): PresentedKey {
  const key = parseAuthorization(readHeader(event, 'authorization'))
  if (key === undefined) throw new Unauthorized()
  return key
}

/** Reads the job id of a request's path, whatever it is; empty if the path has none. */
export function readJobId({ pathParameters }: Pick<APIGatewayProxyEvent, 'pathParameters'>): string {
  return pathParameters?.['job_id'] ?? ''
}
