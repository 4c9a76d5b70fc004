/**
 * Files and folders whose names and comments do not follow `docs/style.md` yet, each with the change that will rewrite
 * it. `test/voice.test.ts` passes over them. Nothing is added to this list; it ends empty.
 */
export const unrevised: Readonly<Record<string, string>> = {
  'adapters/': 'one voice',
  'bin/': 'one voice',
  'client/': 'one voice',
  'contract/': 'one voice',
  'core/': 'one voice',
  'docs/': 'one voice',
  'fetch/': 'one voice',
  'lambdas/': 'one voice',
  'lib/': 'one voice',
  'loader/': 'one voice',
  'local/': 'one voice',
  'page/': 'one voice',
  'schema/': 'one voice',
  'test/': 'one voice',
  'README.md': 'one voice',
  'CONTRIBUTING.md': 'one voice',
}
