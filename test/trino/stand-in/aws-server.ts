import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import * as v from 'valibot'
import { findPython, installTool } from '../../contract/python.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'
import { startProcessGroup } from './process-group.ts'

/** S3 and Glue on one port. */
export interface AwsServer extends AsyncDisposable {
  readonly url: string
  /** Path of a file to which the server adds a line of JSON for each request. */
  readonly requestLog: string
}

const announcement = v.object({ port: v.number() })

/**
 * Returns the path of a Python with moto, which is installed below node_modules/.cache on first use.
 *
 * @throws Error without a Python that can install it
 */
export async function installMoto(): Promise<string> {
  const python = await findPython()
  if (python === undefined) throw new Error('there is no Python 3.11 or later with venv')
  const { bin } = await installTool(python, 'moto', join(import.meta.dirname, 'requirements.txt'))
  return join(bin, 'python')
}

/** @param folder place of the log of requests */
export async function startAws(python: string, folder: string): Promise<AwsServer> {
  const requestLog = join(folder, 'requests.jsonl')
  const server = startProcessGroup(python, [join(import.meta.dirname, 'aws_server.py'), requestLog], folder)
  try {
    const { port } = v.parse(announcement, JSON.parse(await server.firstLine))
    const url = `http://127.0.0.1:${port}`
    return { url, requestLog, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** Opens a client of the stand-in's S3. */
export function openS3(url: string): S3Client {
  return new S3Client({ ...sdkSettings(url), forcePathStyle: true })
}

/**
 * Calls Glue with the input as it is: unlike a client of the SDK, this drops no field that its model lacks.
 *
 * @param operation such as `CreateTable`
 * @throws Error with Glue's answer
 */
export async function callGlue(url: string, operation: string, input: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSGlue.${operation}`,
      // The server only reads the name of the service; it checks no signature.
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/glue/aws4_request',
    },
    body: JSON.stringify(input),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`Glue refused ${operation} with status ${response.status}: ${body}`)
}
