import { type GetManifest, getManifest } from '../../core/calls/get-manifest.ts'
import { answer } from '../http/answer.ts'
import { handleHttp } from '../http/handle-http.ts'
import { readApiKey, readJobId } from '../http/request.ts'

/** `GET /v1/searches/{job_id}/manifest`: 200 in every state of the job, with new signed URLs once it is completed. */
export function getManifestHandler(common: GetManifest) {
  return handleHttp(common, async (event, deps) =>
    answer(200, await getManifest(deps, readApiKey(event), readJobId(event))),
  )
}
