export { renderEnvironment } from './render-environment.ts';
