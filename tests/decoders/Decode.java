import java.awt.image.Raster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.FileImageInputStream;

/** Decodes each JPEG of a folder by Java's ImageIO into NAME.java: luma, or Y, Cb and Cr of each pixel, whatever its color profile. */
public class Decode {
    public static void main(String[] arguments) throws IOException {
        ImageIO.setUseCache(false);
        for (File file : new File(arguments[0]).listFiles((folder, name) -> name.endsWith(".jpg"))) {
            try {
                ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
                reader.setInput(new FileImageInputStream(file));
                Raster raster = reader.readRaster(0, null);
                reader.dispose();
                int[] samples = raster.getPixels(0, 0, raster.getWidth(), raster.getHeight(), (int[]) null);
                byte[] bytes = new byte[samples.length];
                for (int i = 0; i < samples.length; i++) {
                    bytes[i] = (byte) samples[i];
                }
                Files.write(new File(file.getPath().replaceAll("jpg$", "java")).toPath(), bytes);
            } catch (IOException | RuntimeException error) {
                System.err.println(file.getName() + ": " + error);
            }
        }
    }
}
