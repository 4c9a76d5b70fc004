import type { APIGatewayProxyEvent } from 'aws-lambda'
import { maxBodyBytes } from '../../contract/limits.ts'
import { InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from '../../core/errors.ts'
import { NotJson, parseStrictJson } from '../../core/search/strict-json.ts'
import { readHeader } from './request.ts'

/**
 * Parses a JSON body strictly, see `parseStrictJson`.
 *
 * @throws UnsupportedMediaType, PayloadTooLarge, InvalidRequest (not JSON, not UTF-8, or empty)
 */
export function readJsonBody(event: APIGatewayProxyEvent): unknown {
  if (!isJson(readHeader(event, 'content-type')) || readHeader(event, 'content-encoding'))
    throw new UnsupportedMediaType()
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (body.length > maxBodyBytes) throw new PayloadTooLarge({ bytes: body.length, limit: maxBodyBytes })
  if (body.length === 0) throw new InvalidRequest([{ path: '', message: 'a JSON body is required' }])
  return parseJson(decode(body))
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  return (
    type === 'application/json' &&
    parameters.every((parameter) => !/^charset=/.test(parameter) || /^charset="?utf-?8"?$/.test(parameter))
  )
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new InvalidRequest([{ path: '', message: 'the body is not valid UTF-8' }])
  }
}

function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof NotJson) throw new InvalidRequest([{ path: '', message: error.message }])
    throw error
  }
}
