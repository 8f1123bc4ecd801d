/** A page that stands alone has no server to fill. */
export const FirstProfile = () => null;
export const DemoNote = () => null;
