import { request as send } from 'node:http'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { tableName } from '../../bin/command/local-access.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { createDemoOrganization, loadInto } from '../../bin/command/seed.ts'
import type { RunningServer } from '../../local/http-server.ts'
import { listen } from '../../local/http-server.ts'
import { sampleFiles } from '../../local/samples/sample-data.ts'
import { crashingNpi } from './known-searches.ts'

/** Messages from the service under test to the bench, over their process channel. */
export type TrafficMessage =
  | { readonly ready: { readonly baseUrl: string; readonly keys: readonly string[] } }
  | { readonly rssBytes: number }

/** Runs the service in a separate process, to measure its memory separately: `traffic-run.ts <folder> <organizations>`. */
const [folder = '', organizations = '1'] = process.argv.slice(2)

const service = await startLocalService(folder, 0, {
  observe: async (name, url) => (name === 'athena' ? breakLooks(url) : passOn(url)),
})
await loadInto(service, { files: sampleFiles })
const access = createDynamoAccess(connectDynamo(), tableName(service, 'Access'))
const keys: string[] = []
for (let index = 0; index < Number(organizations); index++) {
  keys.push((await createDemoOrganization(access, `Traffic ${index + 1}`)).api_key)
}
const tell = (message: TrafficMessage) => process.send?.(message)
process.on('message', () => tell({ rssBytes: process.memoryUsage.rss() }))
process.once('disconnect', () => process.exit())
process.once('SIGTERM', async () => {
  await service.close()
  process.exit()
})
tell({ ready: { baseUrl: service.baseUrl, keys } })

/** Passes calls on unchanged. */
async function passOn(url: string): Promise<RunningServer> {
  return { url, close: async () => {} }
}

/**
 * Proxies Athena and cuts the connection of any call about the query of a search for `crashingNpi`. Its step then fails
 * with an unexpected error on every retry.
 */
function breakLooks(url: string): Promise<RunningServer> {
  const broken = new Set<string>()
  return listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const text = body.toString()
    const { QueryExecutionId = '' } = JSON.parse(text)
    if (broken.has(QueryExecutionId)) return void request.socket.destroy()
    const passed = send(url, { method: request.method, headers: request.headers }, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      const answered = Buffer.concat(parts)
      if (text.includes(String(crashingNpi))) broken.add(JSON.parse(answered.toString()).QueryExecutionId)
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(answered)
    })
    passed.once('error', () => response.destroy())
    passed.end(body)
  })
}
