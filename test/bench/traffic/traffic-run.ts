import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { startLocalService } from '../../../bin/command/local-service.ts'
import { createDemoOrganization, loadInto } from '../../../bin/samples/seed.ts'
import { sampleFiles } from '../../../local/samples/sample-data.ts'

/** Messages from the service under test to the bench, over their process channel. */
export type TrafficMessage =
  | { readonly ready: { readonly baseUrl: string; readonly keys: readonly string[] } }
  | { readonly rssBytes: number }

/** Runs the service in its own process, to measure its memory alone: `traffic-run.ts <folder> <organizations>`. */
const [folder = '', organizations = '1'] = process.argv.slice(2)

const service = await startLocalService(folder, 0)
await loadInto(service, { files: sampleFiles })
const access = createDynamoAccess(connectDynamo(), service.tables.Access)
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
