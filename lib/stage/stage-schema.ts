import { toJsonSchema } from '@valibot/to-json-schema'
import { stageFile } from './stage.ts'

/** The JSON schema of a stage file, by which editors complete and check it. */
export function describeStageFile(): object {
  return {
    title: 'A stage: one deployment of the service',
    ...toJsonSchema(stageFile, { typeMode: 'input', target: 'draft-2020-12', errorMode: 'ignore' }),
  }
}
