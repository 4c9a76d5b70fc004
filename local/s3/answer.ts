import type { ServerResponse } from 'node:http'
import type { AwsRefusal } from '../aws-refusal.ts'
import { parentElement, textElement, xmlDocument } from './xml.ts'

export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** Sends an XML document; `root` is its root element. */
export function sendXml(response: ServerResponse, status: number, root: string): void {
  const body = Buffer.from(xmlDocument(root))
  response.writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': body.length }).end(body)
}

/**
 * Sends an S3 error document; the response to a HEAD has only the status.
 * Source: Amazon S3 API Reference, "Error responses".
 */
export function sendRefusal(
  response: ServerResponse,
  { status, code, message }: AwsRefusal,
  facts: { readonly resource: string; readonly requestId: string },
): void {
  const children = [
    textElement('Code', code),
    textElement('Message', message),
    textElement('Resource', facts.resource),
    textElement('RequestId', facts.requestId),
  ]
  if (response.req.method === 'HEAD') response.writeHead(status).end()
  else sendXml(response, status, parentElement('Error', children))
}
